// The arbiter's desk in a real browser: what is shown of incidents, what is asked of the table, and when.
//
// Environment as in page.test.mjs. The tests play the table: they publish its arbiter's state and answer requests.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { quiet, textOf, until } from "./browser.mjs";
import { Desk } from "./desk.mjs";

const URL_OF_PAGE = process.env.BUGHOUSED_URL ?? "http://127.0.0.1:8080/";
const LOCKED_URL = process.env.BUGHOUSED_LOCKED_URL ?? URL_OF_PAGE;

let desk;

before(async () => { desk = await Desk.open(`desk-${process.pid}`); });
afterEach(() => desk.bus.clear());
after(() => desk?.close());

/** The page before anybody has signed in. */
async function unknown(url = URL_OF_PAGE) {
  await desk.tell(desk.state());
  return desk.browser.open(`${url}arbiter#table=${desk.table}`);
}

test("nothing is shown and nothing is asked for before somebody has signed in", async () => {
  const page = await unknown();
  await page.locator("#login").waitFor();
  assert.equal(await page.locator("#work").isVisible(), false);
  assert.equal(await page.locator(".incident").count(), 0);
  await quiet(page);
});

test("a refused password is said, shows nothing, and the right one may follow", async () => {
  const page = await unknown();
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

test("an open incident is shown with article, its window, and what else only the arbiter may know", async () => {
  const page = await desk.signedIn();
  assert.match(await textOf(page, ".incident h3"), /^Illegal move: North Star 001 WBN 5\.9$/);
  assert.match(await textOf(page, ".incident .window"), /^Claim of Player 002 or Player 003 of .*: open for \d+ s$/);
  assert.match(await textOf(page, "#decided"), /Men displaced Player 004.*dismissed/);
  assert.match(await textOf(page, "#ledger"), /n transit · Player 002/);
  assert.match(await textOf(page, '.tile[data-seat="B"] .note'), /may not drop N/);
  assert.equal(await page.locator(".tile[data-flag]").getAttribute("data-seat"), "b");
  await quiet(page);
});

test("an order is sent by itself after the time to undo it", async () => {
  const page = await desk.signedIn();
  const begun = desk.heard.length;
  await page.getByRole("button", { name: "Dismiss" }).click();
  assert.equal(await textOf(page, "#toast-text"), "Dismiss illegal move");
  await page.waitForTimeout(2_000);
  assert.equal(desk.heard.length, begun);
  assert.deepEqual(await desk.asked(begun), { verb: "dismiss", data: { incident: 7 } });
  await until(page, () => document.getElementById("answer-text").textContent, "Dismiss illegal move: done");
  await page.locator("#answer").waitFor({ state: "hidden" });
  await quiet(page);
});

test("rulings are told in words, at the time of day where the arbiter is", async () => {
  const data = { kind: "freeze", seat: "b", seconds: 5 };
  const rulings = [{ time: "2026-11-20T15:00:07.000Z", by: "arbiter", verb: "penalty", data }];
  const page = await desk.signedIn(desk.state({ rulings }), { zone: "Europe/Prague" });
  assert.equal(await textOf(page, "#audit"), "16:00:07 arbiter: penalty (kind freeze, seat Player 004, seconds 5)");
  await quiet(page);
});

test("what may end the game is shown first, and what was withdrawn is not called dismissed", async () => {
  const state = desk.state();
  const page = await desk.signedIn(state);
  const [illegal, old] = state.incidents;
  const note = { ...illegal, id: 9, kind: "hidden-drop", grade: "note", evidence: {} };
  const warning = { ...illegal, id: 8, kind: "premove", grade: "warning", evidence: {} };
  const gone = { ...old, id: 6, evidence: { withdrawn_by: "correction" } };
  await desk.tell({ ...state, t: state.t + 1, incidents: [note, warning, illegal, gone, old] });
  await until(page, () => [...document.querySelectorAll(".incident")].map((node) => node.dataset.id).join(" "), "7 8 9");
  assert.equal(await textOf(page, '#decided [data-id="6"]'), "Men displaced Player 004: withdrawn after a correction of the record");
  assert.equal(await textOf(page, '#decided [data-id="5"]'), "Men displaced Player 004: dismissed");
  await quiet(page);
});

test("a new state leaves untouched what has not changed", async () => {
  const state = desk.state();
  const page = await desk.signedIn(state);
  const card = await page.locator(".incident").elementHandle();
  await desk.tell({ ...state, t: state.t + 1, flags: [] });
  await until(page, () => document.querySelectorAll(".tile[data-flag]").length, 0);
  assert.ok(await card.evaluate((node) => node.isConnected));
  await quiet(page);
});

test("where the web server asks for the password it is typed once an evening, and no script sees the session", async () => {
  const page = await unknown(LOCKED_URL);
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
