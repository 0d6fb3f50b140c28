// The page's pure modules without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as bpgn from "../../src/display/web/bpgn.js";
import { BoardClock, TimeSync, delayMs, format, terms } from "../../src/display/web/clock.js";
import { outcome } from "../../src/display/web/half.js";
import { rows } from "../../src/display/web/moves.js";
import * as placement from "../../src/display/web/placement.js";
import { Store } from "../../src/display/web/store.js";
import { filters, parse } from "../../src/display/web/topics.js";

const SECOND = 1_000_000;

/** A sync of session "s" for which the table's 0 is the browser's 1000 ms. */
function synced() {
  const sync = new TimeSync();
  sync.observe("s", 0, 1000);
  return sync;
}

test("times are written with tenths below twenty seconds only", () => {
  for (const [ms, expect] of [
    [0, "0:00.0"], [-500, "0:00.0"], [99, "0:00.0"], [7_350, "0:07.3"], [19_999, "0:19.9"], [20_000, "0:20"],
    [59_999, "0:59"], [60_000, "1:00"], [599_000, "9:59"], [600_000, "10:00"], [3_600_000, "1:00:00"],
  ]) assert.equal(format(ms).join(""), expect, `${ms} ms`);
});

test("time controls are written for people", () => {
  for (const [text, expect] of [
    ["300+0", "5 min"], ["180+2", "3 min + 2 s"], ["180d2", "3 min, delay 2 s"], ["90b1", "90 s, Bronstein 1 s"],
    ["?", "?"], [undefined, ""],
  ]) assert.equal(terms(text), expect);
  assert.deepEqual(["180d2", "180b2", "180+2", "", undefined].map(delayMs), [2000, 0, 0, 0, 0]);
});

test("the running side's time goes down between messages, the other's stands", () => {
  const clock = new BoardClock();
  clock.take("s", 0, { white_ms: 60_000, black_ms: 50_000, running: "black" });
  assert.deepEqual(clock.show(1000, synced()), { white: 60_000, black: 50_000, running: "black" });
  assert.deepEqual(clock.show(3500, synced()), { white: 60_000, black: 47_500, running: "black" });
  assert.equal(clock.show(999_000, synced()).black, 0);
});

test("a small correction upwards waits, a large one is shown", () => {
  const clock = new BoardClock();
  clock.take("s", 0, { white_ms: 60_000, black_ms: 50_000, running: "white" });
  assert.equal(clock.show(2000, synced()).white, 59_000);
  clock.take("s", SECOND, { white_ms: 59_400, black_ms: 50_000, running: "white" });
  assert.equal(clock.show(2000, synced()).white, 59_000);
  assert.equal(clock.show(2600, synced()).white, 58_800);
  clock.take("s", 2 * SECOND, { white_ms: 80_000, black_ms: 50_000, running: "white" });
  assert.equal(clock.show(3000, synced()).white, 80_000);
});

test("a state that repeats a reading does not restart it, an older one is ignored", () => {
  const clock = new BoardClock();
  const times = { white_ms: 60_000, black_ms: 50_000, running: "white" };
  clock.take("s", SECOND, times);
  clock.take("s", 3 * SECOND, times);
  assert.equal(clock.show(5000, synced()).white, 57_000);
  clock.take("s", 0, { white_ms: 70_000, black_ms: 50_000, running: "black" });
  assert.equal(clock.show(5000, synced()).running, "white");
  clock.take("s", 4 * SECOND, { white_ms: "x", black_ms: 1, running: "black" });
  assert.equal(clock.show(5000, synced()).running, "white");
});

test("frozen clocks keep what was shown and run no more", () => {
  const clock = new BoardClock();
  clock.take("s", 0, { white_ms: 60_000, black_ms: 50_000, running: "white" });
  clock.show(4000, synced());
  assert.deepEqual(clock.show(9000, synced(), { frozen: true }), { white: 57_000, black: 50_000, running: null });
});

test("a delay passes before a turn's time runs, once a turn", () => {
  const clock = new BoardClock();
  const options = { delayMs: 2000 };
  clock.take("s", 0, { white_ms: 60_000, black_ms: 50_000, running: "white" });
  assert.equal(clock.show(2500, synced(), options).white, 60_000);
  assert.equal(clock.show(3500, synced(), options).white, 59_500);
  clock.take("s", 3 * SECOND, { white_ms: 59_000, black_ms: 50_000, running: "white" });
  assert.equal(clock.show(4500, synced(), options).white, 58_500);
});

test("the fastest message decides what the time is, and is forgotten after a while", () => {
  const sync = new TimeSync();
  assert.equal(sync.at(0), null);
  sync.observe("s", 0, 1300);
  sync.observe("s", SECOND, 2000);
  sync.observe("s", 2 * SECOND, 3900);
  assert.equal(sync.at(0), 1000);
  for (let s = 3; s < 200; s += 1) sync.observe("s", s * SECOND, 1500 + s * 1000);
  assert.equal(sync.at(0), 1500);
  sync.observe("another", 0, 9000);
  assert.equal(sync.at(0), 9000);
});

test("strict BPGN is read, nonsense is skipped", () => {
  const game = bpgn.parse('[WhiteA "{1A. e4}"]\n\n1A. e4 {119.500} 1b. P@f7+ {C: fast} {60.000}\n'
    + "12a. O-O-O# {-0.200} ??? 3x. e5\n{Player 2 checkmated} 1-0\n");
  assert.deepEqual(game.moves, [
    { number: 1, seat: "A", board: "A", white: true, san: "e4", clockMs: 119_500 },
    { number: 1, seat: "b", board: "B", white: false, san: "P@f7+", clockMs: 60_000 },
    { number: 12, seat: "a", board: "A", white: false, san: "O-O-O#", clockMs: -200 },
  ]);
  assert.deepEqual([game.ending, game.result], ["Player 2 checkmated", "1-0"]);
  assert.deepEqual(bpgn.parse(""), { moves: [], ending: "", result: "*" });
});

test("placements are read with their promoted men, bad ones are refused", () => {
  const men = placement.parse("r6k/8/8/8/8/8/8/Q~6K/PPnn w - - 0 1");
  assert.equal(men.size, 4);
  assert.deepEqual(men.get("a1"), { role: "q", white: true, promoted: true });
  assert.deepEqual(men.get("h8"), { role: "k", white: false, promoted: false });
  for (const text of ["", "8/8", "9/8/8/8/8/8/8/8", "x7/8/8/8/8/8/8/8", "pppppppp1/8/8/8/8/8/8/8", undefined]) {
    assert.equal(placement.parse(text), null, String(text));
  }
});

test("squares of moves, and where they are on a turned board", () => {
  assert.deepEqual(placement.touched("e2e4"), ["e2", "e4"]);
  assert.deepEqual(placement.touched("e7e8q"), ["e7", "e8"]);
  assert.deepEqual(placement.touched("N@f5"), ["f5"]);
  for (const text of ["", "e9e4", "<svg>", undefined]) assert.deepEqual(placement.touched(text), []);
  assert.deepEqual([placement.seen("a1", false), placement.seen("a1", true)], [[0, 7], [7, 0]]);
});

test("a row is read from left to right in order of completion", () => {
  const order = "A A B A B B".split(" ").map((board, i) => ({ board, i }));
  const seen = rows(order, ["A", "B"]);
  assert.deepEqual(seen.map((row) => row.map(({ column }) => column)), [[0], [0, 1], [0, 1], [1]]);
  assert.deepEqual(seen.flat().map(({ move }) => move.i), [0, 1, 2, 3, 4, 5]);
});

test("topics are told apart, strangers are none", () => {
  assert.deepEqual(parse("club/x", "club/x/table/7/live/state"), { kind: "state", table: "7" });
  assert.deepEqual(parse("p", "p/table/7/public/board/b/clock"), { kind: "clock", table: "7", board: "B" });
  assert.deepEqual(parse("p", "p/node/hall/state"), { kind: "node", node: "hall" });
  for (const topic of ["q/table/7/live/state", "p/table/7/live/board/a/fen", "p/table/7/arbiter/state", "p/node/n/log",
    "p/table/7/live/state/x", "p"]) assert.equal(parse("p", topic), null, topic);
  assert.equal(filters("p", "live").every((one) => parse("p", one.replaceAll("+", "x"))), true);
});

test("1-0 is a win of the team of White on A", () => {
  const seats = (result) => [["A", true], ["A", false], ["B", true], ["B", false]]
    .map(([board, white]) => outcome({ result }, board, white)).join("");
  assert.deepEqual(["1-0", "0-1", "1/2-1/2", "*"].map(seats), ["1001", "0110", "½½½½", ""]);
});

test("the store keeps the newest state and counts what it cannot read", () => {
  const store = new Store();
  const about = { kind: "state", table: "1" };
  const boards = [{ board: "A" }];
  const state = (t, session = "s") => JSON.stringify({ session, t, game: "g", status: "playing", boards });
  assert.ok(store.take(about, state(5), 0));
  assert.equal(store.take(about, state(4), 0), null);
  assert.ok(store.take(about, state(1, "later"), 0));
  for (const text of ["{", "null", "3", '{"t":9,"status":"odd","boards":[{"board":"A"}]}', '{"t":9,"status":"playing"}',
    '{"t":9,"status":"playing","boards":[null,{}]}', '{"status":"playing","boards":[{"board":"A"}]}']) {
    assert.equal(store.take(about, text, 0), null, text);
  }
  assert.equal(store.rejects, 3);
  store.take({ kind: "node", node: "n" }, '{"state":"offline","session":"later"}', 0);
  assert.equal(store.offline(store.tables.get("1")), true);
  for (let i = 0; i < 500; i += 1) store.take({ kind: "state", table: `t${i}` }, state(1), 0);
  assert.ok(store.tables.size <= 256);
});
