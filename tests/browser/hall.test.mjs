// The hall in a real browser: tables of several recorders, live from the bus alone.
//
// Environment as in page.test.mjs. The tests play the recorders.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { Browser, quiet, textOf, until } from "./browser.mjs";
import { Bus, fixture } from "./bus.mjs";

const URL_OF_PAGE = process.env.BUGHOUSED_URL ?? "http://127.0.0.1:8080/";
const PORT = Number(process.env.BUGHOUSED_MQTT ?? 1883);
const SECOND = 1_000_000;

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

/** Publishes `count` tables of each node; answers the states by table. */
async function fill(nodes, count) {
  const states = new Map();
  for (const [i, node] of nodes.entries()) {
    const session = `session-${node}`;
    await bus.node(node, "online", session);
    for (let number = 1; number <= count; number += 1) {
      const table = `${i * count + number}`;
      const state = { ...fixture().state, session, table };
      states.set(table, state);
      await bus.state(table, state);
    }
  }
  return states;
}

const cards = () => [...document.querySelectorAll("[data-table]")].map((one) => one.dataset.table);
const stale = () => [...document.querySelectorAll("[data-table]")]
  .filter((one) => one.querySelector(".card[data-stale]")).map((one) => one.dataset.table);
const men = (table) => document.querySelectorAll(`[data-table="${table}"] .man`).length;

test("all tables of all recorders are there, in their order, and live", async () => {
  const states = await fill(["north", "south"], 6);
  const page = await browser.open(`${URL_OF_PAGE}hall`);
  await until(page, cards, [...states.keys()]);
  assert.equal(await textOf(page, "#summary"), "12 tables, 12 playing");
  await until(page, () => [...document.querySelectorAll("#nodes li")].map((one) => one.textContent), ["north", "south"]);
  const before = await page.evaluate(men, "7");
  assert.ok(before > 40, `${before}`);

  const state = states.get("7");
  state.boards[0].shown = "4k3/8/8/8/8/8/8/4K3";
  state.boards[1].shown = "4k3/8/8/8/8/8/8/4K3";
  await bus.state("7", { ...state, seq: state.seq + 1, t: state.t + SECOND });
  await until(page, men, 4, "7");
  await until(page, men, before, "8");

  const clock = { white_ms: 61_000, black_ms: 59_000, running: null };
  await bus.clock("3", states.get("3"), "A", clock, state.t + SECOND);
  const times = () => ["A", "a"].map((seat) => document.querySelector(`[data-table="3"] [data-seat="${seat}"] time`).textContent);
  await until(page, times, ["1:01", "0:59"]);
  await quiet(page);
});

test("a recorder that goes takes its own tables' life and no others', a table that is taken out vanishes", async () => {
  await fill(["north", "south"], 2);
  const page = await browser.open(`${URL_OF_PAGE}hall`);
  await until(page, cards, ["1", "2", "3", "4"]);
  await until(page, stale, []);
  await bus.node("south", "offline", "session-south");
  await until(page, stale, ["3", "4"]);
  await bus.send("table/2/live/state", "");
  await until(page, cards, ["1", "3", "4"]);
  await quiet(page);
});

test("an ended game shows its result, and a card leads to its table", async () => {
  const states = await fill(["north"], 1);
  const state = { ...states.get("1"), status: "ended", result: "1-0", reason: "checkmated" };
  await bus.state("1", { ...state, seq: state.seq + 1, t: state.t + SECOND });
  const page = await browser.open(`${URL_OF_PAGE}hall`);
  await until(page, () => document.querySelector(".card .state")?.textContent, "1-0 checkmated");
  await page.locator(".card").first().click();
  await until(page, () => document.querySelector("#table-name")?.textContent, "Table 1");
  await quiet(page);
});

test("a hall of 128 tables fits from a phone to a screen on the wall", async () => {
  await fill(["a", "b", "c", "d"], 32);
  for (const [width, height] of [[360, 640], [1280, 720], [3840, 2160]]) {
    const page = await browser.open(`${URL_OF_PAGE}hall`, { width, height });
    await until(page, () => document.querySelectorAll("[data-table]").length, 128);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${width}: ${wide} px too wide`);
    if (width === 1280 && process.env.SCREENSHOT_HALL) await page.screenshot({ path: process.env.SCREENSHOT_HALL });
    await quiet(page);
  }
});

test("a broker that knows 3.1.1 only shows its tables, too", async (t) => {
  const url = process.env.BUGHOUSED_OLD_URL;
  assert.ok(url, "BUGHOUSED_OLD_URL names a server beside such a broker");
  const other = await Bus.connect(Number(process.env.BUGHOUSED_OLD_MQTT), "bughouse", 4);
  t.after(() => other.end());
  const { state } = fixture();
  await other.node("north", "online", state.session);
  await other.state("1", { ...state, table: "1" });
  const page = await browser.open(`${url}hall`);
  await until(page, cards, ["1"]);
  await until(page, stale, []);
  await page.goto(`${url}#table=1`);
  await page.locator(".half .man").first().waitFor();
  await page.context().close();
});
