// The arbiter's desk in a real browser: what is shown of incidents, what is asked of the table, and when.
//
// Environment as in page.test.mjs. The tests play the table: they publish its arbiter's state and answer requests.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { Browser, quiet, textOf, until } from "./browser.mjs";
import { Bus, fixture } from "./bus.mjs";

const URL_OF_PAGE = process.env.BUGHOUSED_URL ?? "http://127.0.0.1:8080/";
const LOCKED_URL = process.env.BUGHOUSED_LOCKED_URL ?? URL_OF_PAGE;
const PORT = Number(process.env.BUGHOUSED_MQTT ?? 1883);
const TABLE = `desk-${process.pid}`;

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

/** What a table says to its arbiter: an illegal move, a man in transit, a kind that is restricted. */
function desk() {
  const { state } = fixture();
  const incident = {
    id: 7, kind: "illegal-move", grade: "decisive", law: "WBN", article: "5.9", board: "A", seat: "A",
    reason: "leaves-king-in-check", claimable_by: ["a", "B"], claim_until: null, state: "open",
    evidence: { move: "Rd3", from: "d1", to: "d3", completed_at: state.t - 4_000_000 },
  };
  const old = { ...incident, id: 5, kind: "displaced", seat: "b", board: "B", reason: "", state: "dismissed", evidence: {} };
  return {
    ...state, table: TABLE, half_points: { white_a: 0, black_a: 0 }, adjudication: "advise", freezing: [5, 10],
    incidents: [incident, old], flags: ["b"], offers: ["a"], frozen: [], restricted: [["B", "N"]], paused_since: null,
    ledger: [{ man: "n", place: "transit", seat: "a", since: 1, seen: null }], rulings: [],
  };
}

async function signedIn(options = {}) {
  const state = desk();
  await bus.send(`table/${TABLE}/arbiter/state`, state);
  const page = await browser.open(`${URL_OF_PAGE}arbiter#table=${TABLE}`, options);
  await page.locator("#password").fill("secret");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".incident").first().waitFor();
  return { page, state };
}

/** The next request to the table, answered with `error` if there is one. */
async function requested(error = null) {
  const filter = `${bus.prefix}/table/${TABLE}/arbiter/request/#`;
  await bus.client.subscribeAsync(filter);
  return new Promise((resolve) => {
    bus.client.once("message", async (topic, payload) => {
      const verb = topic.split("/").at(-1);
      const { data, transaction } = JSON.parse(payload);
      const answer = { status: error ? "error" : "ok", verb, transaction, ...(error && { error }) };
      await bus.client.unsubscribeAsync(filter);
      await bus.send(`table/${TABLE}/arbiter/response/${verb}`, answer, false);
      resolve({ verb, data });
    });
  });
}

const marked = () => [...document.querySelectorAll(".incident rect.evidence")].map((node) => node.dataset.square).join(" ");

test("nothing is shown and nothing is asked for before somebody has signed in", async () => {
  await bus.send(`table/${TABLE}/arbiter/state`, desk());
  const page = await browser.open(`${URL_OF_PAGE}arbiter#table=${TABLE}`);
  await page.locator("#login").waitFor();
  assert.equal(await page.locator("#work").isVisible(), false);
  assert.equal(await page.locator(".incident").count(), 0);
  await quiet(page);
});

test("a refused password is said, shows nothing, and the right one may follow", async () => {
  await bus.send(`table/${TABLE}/arbiter/state`, desk());
  const page = await browser.open(`${URL_OF_PAGE}arbiter#table=${TABLE}`);
  await page.locator("#password").fill("guessed");
  await page.getByRole("button", { name: "Sign in" }).click();
  await until(page, () => document.getElementById("login-error").textContent.startsWith("Not signed in: "), true);
  assert.equal(await page.locator("#work").isVisible(), false);
  assert.equal(await page.locator(".incident").count(), 0);
  await page.locator("#password").fill("secret");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".incident").first().waitFor();
  assert.equal(await textOf(page, "#login-error"), "");
  await quiet(page);
});

test("an open incident is shown with article, evidence on the board and its window", async () => {
  const { page } = await signedIn();
  assert.match(await textOf(page, ".incident h3"), /^Illegal move: North Star 001 WBN 5\.9$/);
  await until(page, marked, "d1 d3");
  assert.match(await textOf(page, ".incident .window"), /^Claim of Player 002 or Player 003 of .*: open for \d+ s$/);
  assert.match(await textOf(page, ".incident .facts"), /leaves-king-in-check/);
  assert.match(await textOf(page, "#decided"), /Men displaced Player 004.*dismissed/);
  assert.match(await textOf(page, "#ledger"), /n transit · Player 002/);
  assert.match(await textOf(page, '.tile[data-seat="B"] .note'), /may not drop N/);
  assert.equal(await page.locator(".tile[data-flag]").getAttribute("data-seat"), "b");
  await quiet(page);
});

test("an order is sent after the time to undo it, and its answer is shown", async () => {
  const { page } = await signedIn();
  const asked = requested();
  await page.getByRole("button", { name: "Player 002 claims" }).click();
  assert.match(await textOf(page, "#toast-text"), /Player 002 claims/);
  assert.deepEqual(await asked, { verb: "claim", data: { kind: "illegal-move", by: "a" } });
  await until(page, () => document.getElementById("toast-text").textContent, "Player 002 claims: done");
  const refused = requested({ code: "lapsed", message: "expected an open incident" });
  await page.getByRole("button", { name: "Dismiss" }).click();
  assert.deepEqual(await refused, { verb: "dismiss", data: { incident: 7 } });
  await page.locator(".toast[data-bad]").waitFor();
  assert.match(await textOf(page, "#toast-text"), /expected an open incident/);
  await quiet(page);
});

test("an order that is undone is never sent", async () => {
  const { page } = await signedIn();
  let heard = 0;
  const filter = `${bus.prefix}/table/${TABLE}/arbiter/request/#`;
  await bus.client.subscribeAsync(filter);
  const count = () => { heard += 1; };
  bus.client.on("message", count);
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForTimeout(3_500);
  bus.client.off("message", count);
  await bus.client.unsubscribeAsync(filter);
  assert.equal(heard, 0);
  assert.equal(await textOf(page, "#toast-text"), "Nothing was done");
  await quiet(page);
});

test("orders without an incident carry what was chosen", async () => {
  const { page } = await signedIn();
  const freeze = page.getByRole("group", { name: "Freeze" });
  await freeze.getByLabel("seat").selectOption("b");
  await freeze.getByLabel("seconds").selectOption("10");
  const asked = requested();
  await freeze.getByRole("button", { name: "Freeze" }).click();
  assert.deepEqual(await asked, { verb: "penalty", data: { kind: "freeze", seat: "b", seconds: 10 } });
  await quiet(page);
});

test("what may end the game is shown first, and what was withdrawn is not called dismissed", async () => {
  const { page, state } = await signedIn();
  const [illegal, old] = state.incidents;
  const note = { ...illegal, id: 9, kind: "hidden-drop", grade: "note", evidence: {} };
  const warning = { ...illegal, id: 8, kind: "premove", grade: "warning", evidence: {} };
  const gone = { ...old, id: 6, evidence: { withdrawn_by: "correction" } };
  await bus.send(`table/${TABLE}/arbiter/state`, { ...state, t: state.t + 1, incidents: [note, warning, illegal, gone, old] });
  await until(page, () => [...document.querySelectorAll(".incident")].map((node) => node.dataset.id).join(" "), "7 8 9");
  assert.equal(await textOf(page, '#decided [data-id="6"]'), "Men displaced Player 004: withdrawn after a correction of the record");
  assert.equal(await textOf(page, '#decided [data-id="5"]'), "Men displaced Player 004: dismissed");
  await quiet(page);
});

test("rulings are told in words, moves taken back and clocks set", async () => {
  const { page, state } = await signedIn();
  const rulings = [{ time: "2026-11-20T15:00:07.000Z", by: "arbiter", verb: "penalty", data: { kind: "freeze", seat: "b", seconds: 5 } }];
  await bus.send(`table/${TABLE}/arbiter/state`, { ...state, t: state.t + 1, rulings });
  await until(page, () => document.getElementById("audit").textContent, "15:00:07 arbiter: penalty (kind freeze, seat Player 004, seconds 5)");
  const undone = requested();
  await page.getByRole("group", { name: "Take back" }).getByRole("button", { name: "Last move" }).click();
  assert.deepEqual(await undone, { verb: "undo", data: { board: "A" } });
  const clock = page.getByRole("group", { name: "Set clock" });
  await clock.getByLabel("white").fill("4:59");
  await clock.getByLabel("black").fill("58.5");
  const set = requested();
  await clock.getByRole("button", { name: "Set" }).click();
  assert.deepEqual(await set, { verb: "set-clock", data: { board: "A", white_ms: 299_000, black_ms: 58_500 } });
  await quiet(page);
});

test("a new state leaves untouched what has not changed", async () => {
  const { page, state } = await signedIn();
  const card = await page.locator(".incident").elementHandle();
  await bus.send(`table/${TABLE}/arbiter/state`, { ...state, t: state.t + 1, flags: [] });
  await until(page, () => document.querySelectorAll(".tile[data-flag]").length, 0);
  assert.ok(await card.evaluate((node) => node.isConnected));
  await quiet(page);
});

test("it fits a phone, and everything to tap is large enough for a thumb", async () => {
  const { page } = await signedIn({ width: 360, height: 640 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${wide} px too wide`);
  const small = await page.locator("main button:visible, main select:visible").evaluateAll((nodes) =>
    nodes.filter((node) => node.getBoundingClientRect().height < 40).map((node) => node.textContent));
  assert.deepEqual(small, []);
  if (process.env.SCREENSHOT_ARBITER) await page.screenshot({ path: process.env.SCREENSHOT_ARBITER, fullPage: true });
  await quiet(page);
});

test("where the web server asks for the password it is typed once an evening, and no script sees the session", async () => {
  await bus.send(`table/${TABLE}/arbiter/state`, desk());
  const page = await browser.open(`${LOCKED_URL}arbiter#table=${TABLE}`);
  const type = async (password) => {
    await page.locator("#password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  await type("guess");
  await until(page, () => document.querySelector("#login-error").textContent.trim(), "Not signed in: the password is wrong");
  await type("secret");
  await page.locator(".incident").first().waitFor();
  const [cookie] = await page.context().cookies();
  assert.deepEqual([cookie.name, cookie.httpOnly, cookie.sameSite], ["bughoused", true, "Strict"]);
  assert.equal(await page.evaluate(() => document.cookie), "");
  await page.reload();
  await page.locator(".incident").first().waitFor();
  page.complaints = page.complaints.filter((line) => !line.includes("401"));
  await quiet(page);
});
