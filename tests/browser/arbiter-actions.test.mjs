// Every order of the arbiter's desk to its end: what is tapped, what is said before it is sent, the request on the bus,
// the answer, and what the page shows then. Environment as in page.test.mjs.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { quiet, textOf, until } from "./browser.mjs";
import { Desk } from "./desk.mjs";

const BFEN = "8/8/8/8/8/8/8/K6k/Qn w - - 60 60 | 8/8/8/8/8/8/8/k6K b - - 60 60";
/** How long an order can be undone, and a little more, in ms. */
const UNDONE_MS = 3_500;

let desk;

before(async () => { desk = await Desk.open(`orders-${process.pid}`); });
afterEach(() => desk.bus.clear());
after(() => desk?.close());

const ENDS = " One that is on ends without a result.";
const RISKS = " A wrong claim may count as an illegal move.";
const frozen = { frozen: [{ seat: "b", since: 1, until_ms: 18_000, until: null }] };
const ended = (result, reason) => ({ status: "ended", result, reason });
const note = (seat) => `.tile[data-seat="${seat}"] .note`;

/**
 * A row a button: the row of controls or the incident, what is chosen there, what is tapped, what is said more when it
 * is asked about (else it can be undone), what is said, the request, and what the table's next state makes of the page.
 */
const ORDERS = [
  { on: "incident", tap: "Confirm", says: "Confirm illegal move, the game ends", verb: "confirm", data: { incident: 7 },
    then: [{ incidents: [] }, "#no-incidents", "None."] },
  { on: "incident", tap: "Dismiss", says: "Dismiss illegal move", verb: "dismiss", data: { incident: 7 },
    then: [{ incidents: [] }, "#no-incidents", "None."] },
  { on: "incident", tap: "Player 002 claims", says: "Player 002 claims illegal move", verb: "claim",
    data: { kind: "illegal-move", by: "a" }, then: [ended("0-1", "illegal move"), "#result", "0-1 illegal move"] },
  { on: "Game", tap: "Start", says: "Start on the boards that are set up", verb: "start", data: {},
    then: [{ status: "playing" }, "#status-text", "playing"] },
  { on: "Game", tap: "Pause", says: "Pause the game", verb: "pause", data: {},
    then: [{ status: "paused" }, "#status-text", "paused"] },
  { on: "Game", tap: "Resume", says: "Resume the game", verb: "resume", data: {},
    then: [{ status: "playing" }, "#status-text", "playing"] },
  { on: "Game", tap: "New game", ask: ENDS, says: "Begin a new game",
    verb: "new-game", data: {}, then: [{ incidents: [] }, "#no-incidents", "None."] },
  { on: "Game", tap: "Abort", ask: "", says: "Abort the game without a result", verb: "abort", data: {},
    then: [ended("*", "Game aborted"), "#status-text", "game over"] },
  { on: "Freeze", set: { seat: "b", seconds: "10" }, tap: "Freeze", says: "Freeze Player 004 for 10 s", verb: "penalty",
    data: { kind: "freeze", seat: "b", seconds: 10 }, then: [frozen, note("b"), "pocket rnppp · frozen until 18 s"] },
  { on: "Penalty", set: { seat: "A" }, tap: "Warn", says: "Warn North Star 001", verb: "penalty",
    data: { kind: "warning", seat: "A" } },
  { on: "Penalty", set: { seat: "a" }, tap: "Loses", ask: "", says: "Player 002 loses the game as a penalty",
    verb: "penalty", data: { kind: "loss", seat: "a" },
    then: [ended("1-0", "by the arbiter"), "#result", "1-0 by the arbiter"] },
  { on: "Penalty", set: { seat: "a" }, tap: "New game", ask: "", says: "Begin a new game as a penalty for Player 002",
    verb: "penalty", data: { kind: "new-game", seat: "a" } },
  { on: "Penalty", set: { seat: "b" }, tap: "Expel", ask: "", says: "Expel Player 004", verb: "penalty",
    data: { kind: "expulsion", seat: "b" } },
  { on: "Points", set: { seat: "a", points: "-0.5" }, tap: "Change", says: "−½ point for the team of Player 002",
    verb: "penalty", data: { kind: "points", seat: "a", points: -0.5 } },
  { on: "Points", set: { seat: "B", points: "1" }, tap: "Change",
    says: "+1 point for the team of Player 003 of the Long-Named Club", verb: "penalty",
    data: { kind: "points", seat: "B", points: 1 } },
  { on: "Hidden men", set: { seat: "b", piece: "N" }, tap: "Invisible", says: "Player 004 may not drop a knight",
    verb: "invisible", data: { seat: "b", piece: "N" },
    then: [{ restricted: [["b", "n"]] }, note("b"), "pocket rnppp · may not drop n"] },
  { on: "Hidden men", set: { seat: "B", piece: "N" }, tap: "Visible",
    says: "Player 003 of the Long-Named Club may drop a knight again", verb: "visible", data: { seat: "B", piece: "N" },
    then: [{ restricted: [] }, note("B"), "pocket QPP · coming P"] },
  { on: "Promotion", set: { seat: "a", piece: "R" }, tap: "Declare", says: "Player 002 promotes to a rook",
    verb: "declare", data: { seat: "a", promotion: "R" } },
  { on: "Claim", set: { seat: "a", kind: "checkmate" }, tap: "Claim", ask: RISKS,
    says: "Player 002 claims checkmate", verb: "claim",
    data: { kind: "checkmate", by: "a" }, then: [ended("0-1", "A checkmated"), "#result", "0-1 A checkmated"] },
  { on: "Claim", set: { seat: "arbiter", kind: "flag-fall" }, tap: "Claim", ask: "", says: "The arbiter claims flag",
    verb: "claim", data: { kind: "flag-fall", by: "arbiter" },
    then: [ended("1-0", "b on time"), "#result", "1-0 b on time"] },
  { on: "Claim", set: { seat: "B", kind: "repetition" }, tap: "Claim", ask: RISKS,
    says: "Player 003 of the Long-Named Club claims position repeated",
    verb: "claim", data: { kind: "repetition", by: "B" } },
  { on: "Claim", set: { seat: "a", kind: "repetition", move: "g8f6" }, tap: "Claim", ask: RISKS,
    says: "Player 002 claims position repeated", verb: "claim",
    data: { kind: "repetition", by: "a", move: "g8f6" } },
  { on: "Claim", set: { seat: "A", kind: "illegal-move" }, tap: "Claim", ask: RISKS,
    says: "North Star 001 claims illegal move", verb: "claim",
    data: { kind: "illegal-move", by: "A" } },
  { on: "Draw, resignation", set: { seat: "B" }, tap: "Offers", says: "Player 003 of the Long-Named Club offers a draw",
    verb: "draw-offer", data: { by: "B" },
    then: [{ offers: ["B"] }, note("B"), "pocket QPP · coming P · may not drop N · offers a draw"] },
  { on: "Draw, resignation", set: { seat: "A" }, tap: "Accepts", ask: "", says: "North Star 001 accepts the draw",
    verb: "draw-accept", data: { by: "A" }, then: [ended("1/2-1/2", "agreed"), "#result", "1/2-1/2 agreed"] },
  { on: "Draw, resignation", set: { seat: "b" }, tap: "Resigns", ask: "", says: "Player 004 resigns", verb: "resign",
    data: { by: "b" }, then: [ended("1-0", "b resigned"), "#result", "1-0 b resigned"] },
  { on: "Result", set: { result: "0-1", reason: "arrived late" }, tap: "Set", says: "Result 0-1", verb: "result",
    data: { result: "0-1", reason: "arrived late" },
    then: [ended("0-1", "arrived late"), "#result", "0-1 arrived late"] },
  { on: "Result", set: { result: "1/2-1/2", reason: "" }, tap: "Set", says: "Result 1/2-1/2", verb: "result",
    data: { result: "1/2-1/2" } },
  { on: "Correct", set: { board: "B", ply: "12", move: "N@f5" }, tap: "Correct", says: "Board B, ply 12 was N@f5",
    verb: "correct", data: { board: "B", ply: 12, move: "N@f5" } },
  { on: "Correct", set: { board: "A", ply: "", move: "e2e4" }, tap: "Correct", says: "Board A, ply 56 was e2e4",
    verb: "correct", data: { board: "A", ply: 56, move: "e2e4" } },
  { on: "Take back", set: { board: "B" }, tap: "Last move", says: "Board B: Qd7 was no move", verb: "undo",
    data: { board: "B" } },
  { on: "Set clock", set: { board: "B", white: "4:59", black: "58.5" }, tap: "Set",
    says: "Board B: White has 4:59, Black 58.5", verb: "set-clock",
    data: { board: "B", white_ms: 299_000, black_ms: 58_500 } },
  { on: "Set position", set: { bfen: BFEN }, tap: "Set", ask: ENDS,
    says: "Begin a game from this position", verb: "set-position", data: { bfen: BFEN } },
  { on: "Players", set: { "White A": "Somebody else", "Black B": "" }, tap: "Set",
    says: "White A is Somebody else, Black B is nobody", verb: "players", data: { A: "Somebody else", b: "" },
    then: [{ players: { A: "Somebody else", b: "" } }, '.tile[data-seat="A"] .name', "Somebody else"] },
];

/** Chooses and taps what a row says. */
async function tap(page, { on, set = {}, tap: label }) {
  const place = on === "incident" ? page.locator(".incident") : page.getByRole("group", { name: on, exact: true });
  for (const [name, value] of Object.entries(set)) {
    const field = place.getByLabel(name, { exact: true });
    if (await field.evaluate((node) => node.matches("select"))) await field.selectOption(value);
    else await field.fill(value);
  }
  await place.getByRole("button", { name: label, exact: true }).click();
}

const foot = () => ["toast", "answer"].map((id) => {
  const node = document.getElementById(id);
  return node.hidden ? null : document.getElementById(`${id}-text`).textContent;
});

/** One row: refused, then sent and done, then sent and refused by the table. */
async function check(page, state, row) {
  const { says, ask = null, verb, data, then } = row;
  const [no, yes] = ask === null ? ["Undo", "Now"] : ["Cancel", "Do it"];
  const press = (name) => page.locator("#toast").getByRole("button", { name, exact: true }).click();
  const begun = desk.heard.length;
  await tap(page, row);
  await until(page, foot, [ask === null ? says : `${says}?${ask}`, null]);
  await press(no);
  await until(page, foot, [null, "Nothing was done"]);

  await tap(page, row);
  assert.equal(desk.heard.length, begun, "nothing is published before it is agreed to");
  await press(yes);
  assert.deepEqual(await desk.asked(begun), { verb, data });
  await until(page, foot, [null, `${says}: done`]);

  desk.answers({ code: "no-game", message: "expected a game on the boards, found none" });
  await tap(page, row);
  await press(yes);
  assert.deepEqual(await desk.asked(begun + 1), { verb, data });
  await until(page, foot, [null, `${says}: expected a game on the boards, found none`]);
  assert.equal(await page.locator("#answer[data-bad]").count(), 1);
  await page.getByRole("button", { name: "Close" }).click();
  await until(page, foot, [null, null]);
  desk.answers(null);

  const [change, selector, expect] = then ?? [{}, "#no-incidents", ""];
  const rulings = [{ time: "2026-11-20T15:00:07.000Z", by: "arbiter", verb, data }];
  await desk.tell({ ...state, ...change, rulings });
  await until(page, () => document.querySelector("#audit li")?.textContent.split(" (")[0], `15:00:07 arbiter: ${verb}`);
  if (then) await until(page, (where) => document.querySelector(where)?.textContent, expect, selector);
  await desk.tell(state);
  const entries = () => [".incident", "#audit li"].map((where) => document.querySelectorAll(where).length);
  await until(page, entries, [1, 0]);
}

test("each order is refused without a trace, sent when it is meant, and its answer is shown", async () => {
  const state = desk.state();
  const page = await desk.signedIn(state, { zone: "UTC" });
  for (const row of ORDERS) {
    await check(page, state, row).catch((cause) => {
      throw new Error(`${row.on}, ${row.tap}: ${cause.message}`, { cause });
    });
  }
  await page.waitForTimeout(UNDONE_MS);
  assert.equal(desk.heard.length, 2 * ORDERS.length, "what was refused is never sent");
  const transactions = new Set(desk.heard.map(({ payload }) => payload.transaction));
  assert.equal(transactions.size, desk.heard.length, "each request is one of its own");
  await quiet(page);
});

test("every verb of the interface can be ordered", () => {
  const verbs = ["new-game", "start", "pause", "resume", "players", "claim", "confirm", "dismiss", "declare",
    "invisible", "visible", "penalty", "draw-offer", "draw-accept", "resign", "result", "correct", "undo",
    "set-position", "set-clock", "abort"];
  assert.deepEqual([...new Set(ORDERS.map(({ verb }) => verb))].sort(), verbs.sort());
});

test("what cannot be meant is refused by the page itself", async () => {
  const page = await desk.signedIn();
  const begun = desk.heard.length;
  for (const [row, says] of [
    [{ on: "Correct", set: { ply: "0", move: "e2e4" }, tap: "Correct" },
      "Correct: expected a ply, counted from 1 on its board"],
    [{ on: "Correct", set: { ply: "x", move: "e2e4" }, tap: "Correct" },
      "Correct: expected a ply, counted from 1 on its board"],
    [{ on: "Correct", set: { ply: "3", move: " " }, tap: "Correct" },
      "Correct: expected the move that was played, such as e2e4 or N@f5"],
    [{ on: "Set clock", set: { white: "4:59", black: "soon" }, tap: "Set" },
      "Set clock: expected two times such as 4:59 or 58.5"],
    [{ on: "Set clock", set: { white: "", black: "5:00" }, tap: "Set" },
      "Set clock: expected two times such as 4:59 or 58.5"],
    [{ on: "Set position", tap: "Set" }, "Set position: expected a BFEN, found nothing"],
    [{ on: "Players", tap: "Set" }, "Players: expected another name, found the same ones"],
  ]) {
    await tap(page, row);
    await until(page, foot, [null, says]);
  }
  await page.waitForTimeout(UNDONE_MS);
  assert.equal(desk.heard.length, begun);
  await quiet(page);
});

test("the position that stands is written for who wants to change it", async () => {
  const page = await desk.signedIn();
  await tap(page, { on: "Set position", tap: "Write present one" });
  assert.equal(await page.getByLabel("bfen").inputValue(),
    "6r1/pp1kpppN~/5p1p/bP2qN1N/1P1p4/2P5/PPP2PPP/r1KR3R/Qbnnn w - - 34 16 | "
    + "1B1k1r2/Bp1qb1pp/2pp4/b2B4/8/5N2/PP2RPPP/R5K1/QPPPrnppp w - - 13 28");
  await quiet(page);
});

test("the move that is about to repeat a position is asked for with that claim only", async () => {
  const page = await desk.signedIn();
  const claim = page.getByRole("group", { name: "Claim", exact: true });
  assert.equal(await claim.getByLabel("move").isVisible(), false);
  await claim.getByLabel("kind").selectOption("repetition");
  await claim.getByLabel("move").fill("g8f6");
  await claim.getByLabel("kind").selectOption("checkmate");
  assert.equal(await claim.getByLabel("move").isVisible(), false);
  const begun = desk.heard.length;
  await claim.getByRole("button", { name: "Claim" }).click();
  await page.getByRole("button", { name: "Do it" }).click();
  assert.deepEqual(await desk.asked(begun), { verb: "claim", data: { kind: "checkmate", by: "A" } });
  await quiet(page);
});

test("another order sends the one that waits at once; its answer does not hide what can still be undone", async () => {
  const page = await desk.signedIn();
  const begun = desk.heard.length;
  await tap(page, { on: "Penalty", set: { seat: "A" }, tap: "Warn" });
  await tap(page, { on: "Penalty", set: { seat: "b" }, tap: "Warn" });
  assert.deepEqual(await desk.asked(begun), { verb: "penalty", data: { kind: "warning", seat: "A" } });
  await until(page, foot, ["Warn Player 004", "Warn North Star 001: done"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForTimeout(UNDONE_MS);
  assert.equal(desk.heard.length, begun + 1);
  await quiet(page);
});

test("what was asked about and not agreed to is dropped by another order", async () => {
  const page = await desk.signedIn();
  const begun = desk.heard.length;
  await tap(page, { on: "Game", tap: "Abort" });
  await page.waitForTimeout(UNDONE_MS);
  await until(page, foot, ["Abort the game without a result?", null]);
  await tap(page, { on: "Game", tap: "Pause" });
  await until(page, foot, ["Pause the game", null]);
  assert.deepEqual(await desk.asked(begun), { verb: "pause", data: {} });
  await quiet(page);
});

test("a table that says nothing is told of", async () => {
  const page = await desk.signedIn();
  desk.answers("never");
  const begun = desk.heard.length;
  await tap(page, { on: "Game", tap: "Pause" });
  await page.getByRole("button", { name: "Now", exact: true }).click();
  assert.deepEqual(await desk.asked(begun), { verb: "pause", data: {} });
  desk.answers(null);
  await until(page, foot, [null, "Pause the game: no answer"]);
  await quiet(page);
});

test("without a connection nothing is sent, then or later", async () => {
  const sockets = [];
  let cut = false;
  const before = (page) => page.routeWebSocket(/mqtt/, (socket) => {
    if (cut) return socket.close();
    sockets.push(socket);
    return socket.connectToServer();
  });
  const page = await desk.signedIn(desk.state(), { before });
  const begun = desk.heard.length;
  await tap(page, { on: "Game", tap: "Pause" });
  cut = true;
  await sockets.at(-1).close();
  await until(page, () => document.body.dataset.link, "reconnecting");
  await page.getByRole("button", { name: "Now", exact: true }).click();
  await until(page, foot, [null, "Pause the game: not connected, nothing was sent"]);
  cut = false;
  await until(page, () => document.body.dataset.link, "live");
  await page.waitForTimeout(500);
  assert.equal(desk.heard.length, begun);
  await quiet(page);
});

test("a hidden man that was dropped can be made invisible from its incident (WBN 1.8b)", async () => {
  const state = desk.state();
  const [illegal] = state.incidents;
  const evidence = { man: "N", to: "f5", captured_at: 1, captured_by: "b", made_at: 2, last_seen: null };
  const hidden = { ...illegal, kind: "hidden-drop", article: "1.8b", claimable_by: [], evidence };
  const page = await desk.signedIn({ ...state, incidents: [hidden] });
  const begun = desk.heard.length;
  await tap(page, { on: "incident", tap: "Invisible knight" });
  assert.equal(await textOf(page, "#toast-text"), "North Star 001 may not drop a knight");
  await page.getByRole("button", { name: "Now", exact: true }).click();
  assert.deepEqual(await desk.asked(begun), { verb: "invisible", data: { seat: "A", piece: "N" } });
  await desk.tell({ ...state, incidents: [{ ...hidden, law: "CZ" }] });
  await until(page, () => document.querySelectorAll(".incident .invisible").length, 0);
  await quiet(page);
});
