// The spectators' page in a real browser, between a real broker and a real web server.
//
// BUGHOUSED_URL    where the page is, for example http://127.0.0.1:8080/
// BUGHOUSED_MQTT   TCP port on loopback of the broker that the server bridges to
// CHROMIUM         the browser, /usr/bin/chromium unless said
//
// The tests play the recorder: they publish to a table of their own below the server's prefix and take it back.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { Browser, quiet, textOf, until } from "./browser.mjs";
import { Bus, fixture } from "./bus.mjs";

const URL_OF_PAGE = process.env.BUGHOUSED_URL ?? "http://127.0.0.1:8080/";
const PORT = Number(process.env.BUGHOUSED_MQTT ?? 1883);
const TABLE = `test-${process.pid}`;
const SECOND = 1_000_000;
const SIZES = [[360, 640], [412, 915], [740, 360], [768, 1024], [1280, 720], [1920, 1080], [3840, 2160]];

let bus;
let browser;

before(async () => {
  const config = await (await fetch(new URL("config.json", URL_OF_PAGE))).json();
  bus = await Bus.connect(PORT, config.prefix);
  browser = await Browser.launch();
});
afterEach(() => bus.clear());
after(async () => {
  await browser?.close();
  await bus?.end();
});

const address = (table = TABLE) => `${URL_OF_PAGE}#table=${table}`;

/** Publishes the fixture, changed by `change`, and opens the page on it. */
async function show(change = () => {}, options = {}) {
  const { state, bpgn } = fixture();
  change(state);
  await bus.node(TABLE, "online", state.session);
  await bus.bpgn(TABLE, bpgn);
  await bus.state(TABLE, state);
  const page = await browser.open(address(), options);
  await page.locator(".half .man").first().waitFor();
  return { page, state, bpgn };
}

/** The next state: later, with `change` made to it. */
async function next(state, change) {
  change(state);
  state.seq += 1;
  state.t += SECOND;
  await bus.state(TABLE, state);
}

/** Men by square as drawn, in the middle of which square they are seen. */
const drawn = (board) => {
  const half = document.querySelector(`.half[data-board="${board}"]`);
  const area = half.querySelector(".squares").getBoundingClientRect();
  const side = area.width / 8;
  return [...half.querySelectorAll(".man")].map((node) => {
    const box = node.querySelector("use").getBoundingClientRect();
    const column = Math.floor((box.x + box.width / 2 - area.x) / side);
    const row = Math.floor((box.y + box.height / 2 - area.y) / side);
    const man = node.dataset.man + (node.querySelector(".promoted") ? "~" : "");
    return `${man}${column}${row}`;
  }).sort().join(" ");
};

/** The same from a placement: board A as it is written, board B turned. */
function expected(placement, turned) {
  const found = [];
  placement.split("/").forEach((rank, row) => {
    let column = 0;
    for (const letter of rank) {
      if (letter === "~") found.push(`${found.pop()}~`);
      else if (/\d/.test(letter)) column += Number(letter);
      else {
        found.push(turned ? `${letter}${7 - column}${7 - row}` : `${letter}${column}${row}`);
        column += 1;
      }
    }
  });
  return found.map((one) => (one.endsWith("~") ? `${one[0]}~${one.slice(1, -1)}` : one)).sort().join(" ");
}

test("boards are drawn as spectators see them, the second one turned", async () => {
  const { page, state } = await show();
  await until(page, drawn, expected(state.boards[0].shown, false), "A");
  await until(page, drawn, expected(state.boards[1].shown, true), "B");
  const order = await page.locator(".seat").evaluateAll((seats) =>
    seats.map((seat) => [seat.dataset.seat, seat.dataset.team, seat.classList.contains("top")].join()));
  assert.deepEqual(order, ["a,2,true", "A,1,false", "B,2,true", "b,1,false"]);
  const painted = await page.locator(".half .man use").first().evaluate((use) => use.getBBox().width > 20);
  assert.ok(painted, "the outlines were not loaded");
  await quiet(page);
});

test("players and pockets stand at their seats, men on the way are marked", async () => {
  const { page, state } = await show((one) => { delete one.players.b; });
  const pocket = (seat) => page.locator(`.seat[data-seat="${seat}"] .slot`).evaluateAll((slots) =>
    slots.map((slot) => `${slot.dataset.role}${slot.dataset.held}+${slot.dataset.coming}`).join(" "));
  assert.equal(await pocket("a"), "q0+0 r0+0 b0+1 n3+0 p0+0");
  assert.equal(await pocket("B"), "q1+0 r0+0 b0+0 n0+0 p2+1");
  assert.equal(await textOf(page, '[data-seat="a"] .slot[data-role="n"] .count'), "3");
  assert.equal(await textOf(page, '[data-seat="B"] .slot[data-role="p"] .coming'), "+1");
  assert.equal(await textOf(page, '[data-seat="A"] .name'), state.players.A);
  assert.equal(await textOf(page, '[data-seat="b"] .name'), "Black B");
  const label = await page.locator('[data-seat="a"] .pocket').getAttribute("aria-label");
  assert.equal(label, "Pocket of Player 002: 3 knight; on the way: 1 bishop");
  await quiet(page);
});

const clockText = (seat) => document.querySelector(`[data-seat="${seat}"] .clock`).innerText.replace(/\s/g, "");
const runningSeats = () => [...document.querySelectorAll(".clock[data-running]")]
  .map((clock) => clock.closest(".seat").dataset.seat).sort().join("");

test("clocks go between messages and show whose time runs", async () => {
  const { page, state } = await show();
  await until(page, runningSeats, "AB");
  assert.equal(await page.evaluate(clockText, "a"), "0:16.3");
  assert.equal(await page.evaluate(clockText, "b"), "0:28");
  const seen = [];
  for (let i = 0; i < 8; i += 1) {
    seen.push(await page.evaluate(clockText, "B"));
    await page.waitForTimeout(120);
  }
  const numbers = seen.map((one) => Number(one.replace("0:", "")));
  assert.ok(numbers.every((one, i) => i === 0 || one <= numbers[i - 1]), `never back: ${seen}`);
  assert.ok(new Set(numbers).size >= 4, `tenths are seen to pass: ${seen}`);
  assert.equal(await page.evaluate(clockText, "a"), "0:16.3", "a clock that stands does not move");
  // The lever: Black's time runs, on the clock topic alone.
  await bus.clock(TABLE, state, "B", { white_ms: 9_100, black_ms: 28_606, running: "black" }, state.t + 6 * SECOND);
  await until(page, runningSeats, "Ab");
  assert.equal(await page.evaluate(clockText, "B"), "0:09.1");
  await quiet(page);
});

test("a clock ends at nothing, and stops when the game is paused", async () => {
  const { page, state } = await show((one) => { one.boards[0].clock.white_ms = 300; });
  await until(page, clockText, "0:00.0", "A");
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(clockText, "A"), "0:00.0");
  await next(state, (one) => {
    one.status = "paused";
    one.boards.forEach((board) => { board.clock.running = null; });
  });
  await until(page, runningSeats, "");
  assert.equal(await textOf(page, "#status-text"), "Paused");
  await quiet(page);
});

const squaresOf = (selector) =>
  [...document.querySelectorAll(selector)].map((rect) => rect.dataset.square).sort().join(" ");

test("a move that is made is marked until it is completed", async () => {
  const { page, state, bpgn } = await show();
  const half = '.half[data-board="B"]';
  await until(page, squaresOf, "e6", `${half} rect.made`);
  await until(page, squaresOf, "c7 d7", `${half} rect.last`);
  const dashes = await page.locator(`${half} rect.made`).evaluate((rect) => getComputedStyle(rect).strokeDasharray);
  assert.notEqual(dashes, "none");
  assert.match(await textOf(page, `${half} .note`), /^B@e6 .*not pressed/);
  assert.equal(await textOf(page, ".move[data-made] .san"), "B@e6");
  assert.match(await page.locator(`${half} .squares`).getAttribute("aria-label"), /then B@e6, not completed/);
  await bus.bpgn(TABLE, bpgn.replace("\n*\n", " 31B. B@e6 {10.500}\n*\n"));
  await next(state, ({ boards: [, board] }) => {
    [board.last, board.made] = [board.made[0], []];
    board.turn = "black";
  });
  await until(page, squaresOf, "", `${half} rect.made`);
  await until(page, squaresOf, "e6", `${half} rect.last`);
  assert.equal(await page.locator(".move[data-made]").count(), 0);
  assert.equal(await page.locator(".move .san").last().innerText(), "B@e6");
  await quiet(page);
});

test("check is seen, and a made move may answer it before it is completed", async () => {
  const { page, state } = await show();
  await until(page, squaresOf, "c1", "rect.check");
  await next(state, ({ boards: [board] }) => {
    board.made = [{ board: "A", seat: "A", ply: 57, move: "c1d2", san: "Kd2" }];
    board.shown = board.shown.replace("r1KR3R", "r2R3R").replace("PPP2PPP", "PPPK1PPP");
  });
  await until(page, squaresOf, "", "rect.check");
  await quiet(page);
});

test("squares that contradict are marked quietly", async () => {
  const { page } = await show((state) => { state.boards[0].unexplained = ["e4", "c6", "<b>"]; });
  await until(page, squaresOf, "c6 e4", "rect.unexplained");
  assert.equal(await textOf(page, '[data-board="A"] .note'), "needs a look: e4 c6");
  await quiet(page);
});

test("moves of both boards stand in their order with colour, number and time", async () => {
  const { page, bpgn } = await show();
  const order = [...bpgn.matchAll(/\d+([ABab])\. (\S+) \{/g)].map(([, seat, san]) => `${seat} ${san}`);
  const seen = await page.locator(".move:not([data-made])").evaluateAll((moves) => moves.map((move) => {
    const white = move.querySelector(".disc").classList.contains("white");
    const board = move.dataset.board;
    return `${white ? board : board.toLowerCase()} ${move.querySelector(".san").textContent}`;
  }));
  assert.deepEqual(seen, order);
  const columns = await page.locator("#moves").evaluate((list) =>
    ["A", "B"].map((board) => new Set([...list.querySelectorAll(`[data-board="${board}"]`)]
      .map((move) => Math.round(move.getBoundingClientRect().x))).size));
  assert.deepEqual(columns, [1, 1], "one column a board");
  const heard = await page.locator(".move:not([data-made]) .unseen").last().textContent();
  assert.equal(heard, "Board B, Black, 30: Qd7, 0:28 left");
  await quiet(page);
});

const distanceToEnd = () => {
  const list = document.querySelector("#moves");
  return Math.round(list.scrollHeight - list.scrollTop - list.clientHeight);
};

test("the list follows the game until somebody scrolls up", async () => {
  const { page, bpgn } = await show();
  await until(page, distanceToEnd, 0);
  await page.locator("#moves").evaluate((list) => { list.scrollTop = 0; });
  await page.locator("#latest").waitFor();
  await bus.bpgn(TABLE, bpgn.replace("\n*\n", " 31B. B@e6 {10.500} 31b. Qe7 {20.000}\n*\n"));
  await until(page, () => [...document.querySelectorAll(".move .san")].some((san) => san.textContent === "Qe7"), true);
  assert.equal(await page.locator("#moves").evaluate((list) => list.scrollTop), 0);
  await page.locator("#latest").click();
  await until(page, distanceToEnd, 0);
  assert.equal(await page.locator("#latest").isVisible(), false);
  await quiet(page);
});

test("the end, its reason and the winners are told", async () => {
  const { page, state } = await show();
  await next(state, (one) => {
    [one.status, one.result, one.reason] = ["ended", "0-1", "checkmated"];
    one.boards[0].mate = true;
    one.boards.forEach((board) => { board.clock.running = null; });
  });
  await until(page, () => document.querySelector("#status-text").textContent, "0–1");
  assert.equal(await textOf(page, "#result"), "checkmated");
  const outcomes = await page.locator(".seat").evaluateAll((seats) =>
    seats.map((seat) => `${seat.dataset.seat}${seat.querySelector(".outcome").textContent}`).join(" "));
  assert.equal(outcomes, "a1 A0 B1 b0");
  assert.equal(await textOf(page, '[data-board="A"] .note'), "checkmate");
  await next(state, (one) => { [one.status, one.result, one.reason] = ["waiting", "*", ""]; });
  await until(page, () => document.querySelector("#status-text").textContent, "Waiting for the next game");
  await quiet(page);
});

test("rule set and time control are named, moves are announced", async () => {
  const { page, state } = await show();
  assert.equal(await textOf(page, "#ruleset"), "wbn-1.00");
  assert.equal(await textOf(page, "#time-control"), "2 min");
  const move = { type: "move", board: "A", seat: "A", ply: 57, number: 29, san: "Kd2" };
  await bus.send(`table/${TABLE}/live/event`, { ...state, boards: undefined, ...move }, false);
  await until(page, () => document.querySelector("#news").textContent, "Board A, White, 29: Kd2");
  await quiet(page);
});

const linkText = () => document.querySelector("#link-text").textContent;

test("a recorder that is gone is told, by its last will", async () => {
  const { page, state } = await show();
  await until(page, linkText, "live");
  await bus.node(TABLE, "offline", state.session);
  await until(page, linkText, "recorder offline");
  const frozen = await page.evaluate(clockText, "B");
  await page.waitForTimeout(400);
  assert.equal(await page.evaluate(clockText, "B"), frozen);
  await bus.node(TABLE, "offline", "an older session");
  await bus.node(TABLE, "online", state.session);
  await until(page, linkText, "live");
  await quiet(page);
});

test("the page comes back after the broker was gone", async () => {
  let absent = false;
  const sockets = new Set();
  const { page, state } = await show(undefined, {
    before: (fresh) => fresh.routeWebSocket(/\/mqtt$/, (socket) => {
      if (absent) return socket.close({ code: 1013, reason: "the broker cannot be reached" });
      socket.connectToServer();
      return sockets.add(socket);
    }),
  });
  await until(page, linkText, "live");
  absent = true;
  for (const socket of sockets) await socket.close({ code: 1013, reason: "the broker cannot be reached" });
  await until(page, linkText, "reconnecting");
  assert.equal(await page.locator(".half").count(), 2, "what was known stays on the screen");
  await next(state, (one) => { one.players.A = "Back Again"; });
  absent = false;
  await until(page, linkText, "live");
  await until(page, () => document.querySelector('[data-seat="A"] .name').textContent, "Back Again");
  await quiet(page);
});

test("tables are chosen by the address or by hand", async () => {
  const { page, state } = await show();
  const other = `${TABLE}-other`;
  await bus.state(other, { ...state, players: { A: "Somebody Else" } });
  const chooser = page.locator("#table-chooser");
  await chooser.waitFor();
  assert.equal(await chooser.inputValue(), TABLE);
  await chooser.selectOption(other);
  await until(page, () => document.querySelector('[data-seat="A"] .name').textContent, "Somebody Else");
  assert.match(page.url(), new RegExp(`#table=${other}$`));
  await page.goto(address("nobody-knows"));
  await until(page, () => document.querySelector("#nothing").textContent,
    "Table nobody-knows has not announced itself yet.");
  await quiet(page);
});

test("what cannot be read changes nothing, what looks like markup is text", async () => {
  const { page, state } = await show();
  const name = '<img src=x onerror="alert(1)">';
  for (const bad of ["{", "[]", "\u0000", "7", '{"boards":7,"status":"playing"}', '{"boards":[null,{}]}']) {
    await bus.send(`table/${TABLE}/live/event`, bad, false);
    await bus.send(`table/${TABLE}/live/board/a/clock`, bad);
  }
  await bus.send(`table/${TABLE}/live/state`, '{"t":9e9,"status":"playing","boards":[null,{}]}');
  await next(state, (one) => {
    one.players.A = name;
    one.boards[0].last = { move: 7, san: null };
    one.boards[1].made = "none";
    one.boards[1].white = null;
  });
  await until(page, () => document.querySelector('[data-seat="A"] .name').textContent, name);
  assert.equal(await page.locator(".name img").count(), 0);
  await until(page, drawn, expected(state.boards[0].shown, false), "A");
  await quiet(page);
});

for (const [width, height] of SIZES) {
  test(`nothing sticks out at ${width} by ${height}`, async () => {
    const { page } = await show(undefined, { width, height });
    const out = await page.evaluate(() => [...document.querySelectorAll("body *")].filter((node) => {
      const box = node.getBoundingClientRect();
      return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1) && !node.closest(".unseen");
    }).map((node) => node.className?.baseVal ?? node.className));
    assert.deepEqual(out, []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    const square = await page.locator(".squares").first().evaluate((board) => board.getBoundingClientRect().width / 8);
    assert.ok(square >= 24, `squares of ${square} px`);
    const clipped = await page.locator(".move .san").evaluateAll((all) =>
      all.filter((san) => san.scrollWidth > san.clientWidth + 1).map((san) => san.textContent));
    assert.deepEqual(clipped, [], "moves are readable in full");
    const over = await page.locator(".clock, .pocket, .player").evaluateAll((parts) => parts.some((part) => {
      const [box, seat] = [part.getBoundingClientRect(), part.closest(".seat").getBoundingClientRect()];
      return box.top < seat.top - 2 || box.bottom > seat.bottom + 2;
    }));
    assert.equal(over, false, "players keep to their place");
    await quiet(page);
  });
}

test("nothing moves when men and tenths come and go", async () => {
  const { page, state } = await show();
  const places = () => [...document.querySelectorAll(".squares, .clock, .pocket, .slot, .bar > *, .moves")]
    .map((node) => node.getBoundingClientRect())
    .filter(({ width }) => width > 0)
    .map(({ x, y, width, height }) => [x, y, width, height].map(Math.round).join());
  const before = await page.evaluate(places);
  await next(state, ({ boards: [a, b] }) => {
    a.white = { pieces: "QRRBBNNPPPPPPPPP", in_transit: "QP" };
    b.black = { pieces: "", in_transit: "" };
    Object.assign(a.clock, { white_ms: 599_000, black_ms: 4_000, running: "black" });
    a.unexplained = ["a1", "a2", "a3", "a4", "a5", "a6"];
  });
  await until(page, () => document.querySelector('[data-seat="A"] .slot[data-role="p"] .count').textContent, "9");
  assert.deepEqual(await page.evaluate(places), before);
  await quiet(page);
});

test("light and dark follow the system and the button", async () => {
  const luminance = () => {
    const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 127 ? "light" : "dark";
  };
  for (const [system, other] of [["light", "dark"], ["dark", "light"]]) {
    const { page } = await show(undefined, { theme: system });
    assert.equal(await page.evaluate(luminance), system);
    await page.locator("#theme").click();
    assert.equal(await page.evaluate(luminance), other);
    await page.reload();
    assert.equal(await page.evaluate(luminance), other, "the choice is remembered");
    await page.locator("#theme").click();
    await page.emulateMedia({ colorScheme: other });
    await until(page, luminance, other); // the system decides again
    await quiet(page);
  }
});

test("the policy stops inline scripts, and this suite would see it", async () => {
  const { page } = await show();
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
  });
  await until(page, () => window.violations, ["script-src-elem"]);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.equal(page.complaints.length, 1);
  await page.context().close();
});
