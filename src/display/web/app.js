// The page: a pure MQTT client. Wires the connection to the store, the store to the views, and the clocks to the
// screen's refresh. What each of them does stands in its own module.

import { delayMs, terms } from "./clock.js";
import { attribute, el, text } from "./dom.js";
import { Half } from "./half.js";
import { connect } from "./link.js";
import { MoveList, label } from "./moves.js";
import { Store } from "./store.js";
import { filters, parse } from "./topics.js";

const STATUS = { waiting: "Waiting for the next game", playing: "Playing", paused: "Paused", ended: "Game over" };
const LINK = { connecting: "connecting", live: "live", reconnecting: "reconnecting", offline: "recorder offline" };
const RESULT = { "1-0": "1–0", "0-1": "0–1", "1/2-1/2": "½–½" };

const at = (id) => document.getElementById(id);
const store = new Store();
const list = new MoveList(document.querySelector(".moves"));
let prefix = "bughouse";
let link = "connecting";
let linkDetail = "";
let halves = [];
let heard = null;
let dirty = true;

/** The table of the address, else the first that was seen. */
function chosen() {
  const asked = new URLSearchParams(location.hash.slice(1)).get("table");
  return asked === null ? [...store.tables.values()].find((table) => table.state) : store.tables.get(asked);
}

function render() {
  dirty = false;
  const table = chosen();
  renderBar(table);
  renderChooser(table);
  at("nothing").hidden = Boolean(table?.state);
  list.section.hidden = !table?.state;
  at("halves").hidden = !table?.state;
  if (!table?.state) return renderNothing();
  const boards = table.state.boards.map((one) => one.board);
  if (boards.join() !== halves.map((half) => half.letter).join()) buildHalves(boards);
  for (const [i, one] of table.state.boards.entries()) {
    halves[i].update(one, table.state, table.uncertain.get(one.board));
  }
  list.update(table.record.moves, table.state.boards.flatMap(madeMoves), boards);
  hear(table);
}

function buildHalves(boards) {
  halves = boards.map((letter) => new Half(letter));
  at("halves").replaceChildren(...halves.map((half) => half.element));
  document.body.dataset.boards = boards.length;
  document.body.style.setProperty("--boards", boards.length);
}

/** Moves on the board that are not completed, as the list writes them. */
function madeMoves(one) {
  if (!Array.isArray(one.made)) return [];
  return one.made.map((made) => ({
    board: one.board, white: made.seat === one.board, number: Math.ceil(made.ply / 2), san: made.san, clockMs: null,
  }));
}

function renderNothing() {
  const asked = new URLSearchParams(location.hash.slice(1)).get("table");
  const missing = asked === null ? `No table has announced itself below “${prefix}” yet.`
    : `Table ${asked} has not announced itself yet.`;
  text(at("nothing"), link === "live" ? missing : "Waiting for the connection to the broker.");
}

function renderBar(table) {
  const state = table?.state;
  const offline = link === "live" && store.offline(table);
  const shown = offline ? "offline" : link;
  document.body.dataset.link = shown;
  document.body.dataset.status = state?.status ?? "none";
  text(at("link-text"), LINK[shown]);
  attribute(at("link"), "title", linkDetail || null);
  text(at("table-name"), state ? `Table ${table.id}` : "bughouse");
  document.title = state ? `Table ${table.id} · bughouse` : "bughouse";
  const ended = state?.status === "ended";
  text(at("status-text"), (ended && RESULT[state.result]) || (STATUS[state?.status] ?? ""));
  text(at("result"), ended ? state.reason : "");
  text(at("time-control"), terms(state?.time_control));
  text(at("ruleset"), state?.ruleset ?? "");
}

/** A choice only where there is one. */
function renderChooser(table) {
  const ids = [...store.tables.values()].filter((one) => one.state).map((one) => one.id).sort();
  const select = at("table-chooser");
  select.parentElement.hidden = ids.length < 2;
  at("table-name").hidden = ids.length >= 2;
  if (select.dataset.ids !== ids.join("\n")) {
    select.dataset.ids = ids.join("\n");
    select.replaceChildren(...ids.map((id) => el("option", { value: id }, `Table ${id}`)));
  }
  select.value = table?.id ?? "";
}

/** Tells completed moves and the end to those who listen. */
function hear(table) {
  const news = table.news;
  if (!news || news === heard) return;
  heard = news;
  const move = (one) => ({ ...one, white: one.seat === one.board, clockMs: null });
  text(at("news"), {
    move: () => label(move(news)),
    correction: () => `Board ${news.board}: moves were corrected`,
    "game-started": () => "A game has begun",
    "game-ended": () => `The game has ended: ${news.result}, ${news.reason}`,
  }[news.type]());
}

function tick(now) {
  if (dirty) render();
  const table = chosen();
  if (table?.state) {
    const stopped = table.state.status === "paused" || table.state.status === "ended";
    const stale = link !== "live" || store.offline(table);
    const options = { frozen: stopped || stale, delayMs: delayMs(table.state.time_control) };
    for (const half of halves) half.tick(table.clocks.get(half.letter), now, table.sync, options);
    attribute(at("halves"), "data-stale", stale ? "" : null);
  }
  requestAnimationFrame(tick);
}

async function start() {
  const config = await (await fetch("config.json", { cache: "no-store" })).json();
  prefix = config.prefix;
  const feed = new URLSearchParams(location.hash.slice(1)).get("feed");
  const url = new URL("mqtt", location.href.split("#")[0]);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  connect({
    url: url.href,
    groups: (feed === "public" ? ["public"] : ["live", "public"]).map((one) => filters(prefix, one)),
    onMessage: (topic, payload) => {
      const about = parse(prefix, topic);
      if (about && store.take(about, payload, performance.now())) dirty = true;
    },
    onLink: (state, detail) => {
      [link, linkDetail, dirty] = [state, detail, true];
    },
  });
}

addEventListener("hashchange", () => { dirty = true; });
at("table-chooser").addEventListener("change", (event) => {
  location.hash = new URLSearchParams({ table: event.target.value }).toString();
});
requestAnimationFrame(tick);
start().catch((error) => {
  [link, linkDetail, dirty] = ["reconnecting", String(error), true];
  setTimeout(() => location.reload(), 5_000);
});
