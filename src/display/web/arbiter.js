// The arbiter's desk: a pure MQTT client. Signs in, hears what only the arbiter may know, and asks the table for what
// is ordered. No order is sent that could not be undone for a moment, or was not agreed to.

import { Asking } from "./asking.js";
import { attribute, el, text } from "./dom.js";
import { named, timeOfDay } from "./evidence.js";
import { byWeight, incidentCard, incidentLine } from "./incident.js";
import { connect } from "./link.js";
import { orders } from "./orders.js";
import { BoardClock, TimeSync, delayMs, format } from "./clock.js";

const STATUS = { waiting: "waiting", playing: "playing", paused: "paused", ended: "game over" };
const at = (id) => document.getElementById(id);
const tables = new Map();
let prefix = "bughouse";
let client = null;

const asking = new Asking((table, verb, payload) => {
  if (!client?.connected) return false;
  client.publish(`${prefix}/table/${table}/arbiter/request/${verb}`, JSON.stringify(payload), { qos: 1 });
  return true;
});

/** Asks the table that is shown. */
const order = (label, verb, data, options) => asking.order(chosen().id, label, verb, data, options);
const desk = { order, refuse: (message) => asking.refuse(message), state: () => chosen().state };

/** The table of the address, else the first that was heard of. */
function chosen() {
  const asked = new URLSearchParams(location.hash.slice(1)).get("table");
  return asked === null ? tables.values().next().value : tables.get(asked);
}

function take(topic, payload) {
  const [root, id, feed, leaf, ...rest] = topic.slice(prefix.length + 1).split("/");
  if (root !== "table") return;
  const message = read(payload);
  if (!message) return;
  if (feed === "arbiter" && leaf === "state") takeState(id, message);
  if (feed === "arbiter" && leaf === "response") asking.answered(message);
  if (feed === "live" && leaf === "board" && rest[1] === "clock") {
    const clock = tables.get(id)?.clocks.get(rest[0].toUpperCase());
    clock?.take(message.session, message.t, message);
  }
}

function read(payload) {
  try {
    const value = JSON.parse(payload);
    return value && typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

function takeState(id, state) {
  if (!Array.isArray(state.boards) || !Array.isArray(state.incidents)) return;
  const table = tables.get(id) ?? { id, sync: new TimeSync(), clocks: new Map() };
  table.sync.observe(state.session, state.t, performance.now());
  for (const board of state.boards) {
    if (!table.clocks.has(board.board)) table.clocks.set(board.board, new BoardClock());
    table.clocks.get(board.board).take(state.session, state.t, board.clock);
  }
  table.state = state;
  tables.set(id, table);
  render();
}

function render() {
  const table = chosen();
  const ids = [...tables.keys()].sort();
  const select = at("table-chooser");
  select.closest("label").hidden = ids.length < 2;
  if (select.dataset.ids !== ids.join("\n")) {
    select.dataset.ids = ids.join("\n");
    select.replaceChildren(...ids.map((id) => el("option", { value: id }, `Table ${id}`)));
  }
  if (!table) return;
  const state = table.state;
  select.value = table.id;
  text(at("table-name"), `Arbiter · table ${table.id}`);
  text(at("status-text"), STATUS[state.status] ?? state.status);
  text(at("result"), state.result === "*" ? "" : `${state.result} ${state.reason}`);
  const open = byWeight(state.incidents.filter((one) => one.state === "open"));
  at("no-incidents").hidden = open.length > 0;
  text(at("open-count"), open.length > 0 ? ` ${open.length}` : "");
  keep(at("open"), open, (one) => incidentCard(one, state, order));
  at("decided").replaceChildren(...state.incidents.filter((one) => one.state !== "open").map((one) => incidentLine(one, state)));
  at("audit").replaceChildren(...state.rulings.map((one) => el("li", {}, ruling(one, state))));
  at("ledger").replaceChildren(...state.ledger.map((one) =>
    el("li", { "data-place": one.place }, `${one.man} ${one.place}${one.seat ? ` · ${named(state, one.seat)}` : ""}`)));
  renderClocks(table);
  const key = JSON.stringify([table.id, state.boards.map((one) => one.board), state.freezing, state.players]);
  if (at("orders").dataset.key !== key) {
    at("orders").dataset.key = key;
    const rows = orders(state, desk);
    at("orders").replaceChildren(...rows.play);
    at("record").replaceChildren(...rows.record);
  }
  tick();
}

/** Who ordered what, and when, in words. */
function ruling(one, state) {
  const seats = ["seat", "by"];
  const word = ([key, value]) => `${key} ${seats.includes(key) && value !== "arbiter" ? named(state, String(value)) : JSON.stringify(value)}`;
  const told = Object.entries(one.data ?? {}).map(word).join(", ").replaceAll('"', "");
  return `${timeOfDay(new Date(one.time))} ${one.by ?? "?"}: ${one.verb}${told && ` (${told})`}`;
}

/** Shows one element an entry; what has not changed stays, so that no button vanishes under a finger. */
function keep(list, entries, make) {
  const known = new Map([...list.children].map((node) => [node.dataset.key, node]));
  const nodes = entries.map((one) => {
    const key = JSON.stringify(one);
    const node = known.get(key) ?? make(one);
    node.dataset.key = key;
    return node;
  });
  if (nodes.some((node, i) => node !== list.children[i]) || nodes.length !== list.children.length) {
    list.replaceChildren(...nodes);
  }
}

function renderClocks(table) {
  const state = table.state;
  const tiles = state.boards.flatMap((board) => ["black", "white"].map((color) => {
    const seat = color === "white" ? board.board : board.board.toLowerCase();
    const frozen = state.frozen.find((one) => one.seat === seat);
    const restricted = state.restricted.filter(([other]) => other === seat).map(([, man]) => man);
    const notes = [
      `pocket ${board[color].pieces || "–"}`,
      board[color].in_transit && `coming ${board[color].in_transit}`,
      frozen && `frozen${frozen.until_ms === null ? "" : ` until ${Math.ceil(frozen.until_ms / 1000)} s`}`,
      restricted.length > 0 && `may not drop ${restricted.join(" ")}`,
      state.offers.includes(seat) && "offers a draw",
    ];
    const tile = el("article", { class: "tile", "data-seat": seat, "data-board": board.board, "data-color": color },
      el("span", { class: "name" }, named(state, seat)), el("span", { class: "time" }, ""),
      el("span", { class: "note" }, notes.filter(Boolean).join(" · ")));
    attribute(tile, "data-flag", state.flags.includes(seat) ? "" : null);
    return tile;
  }));
  at("clocks").replaceChildren(...tiles);
}

/** What changes with time alone: clocks, and how long claims have been open. */
function tick() {
  const table = chosen();
  if (!table) return;
  const now = performance.now();
  for (const tile of at("clocks").children) {
    const times = table.clocks.get(tile.dataset.board)?.show(now, table.sync, { delayMs: delayMs(table.state.time_control) });
    const left = times?.[tile.dataset.color];
    text(tile.querySelector(".time"), Number.isFinite(left) ? format(left).join("") : "–");
    attribute(tile, "data-running", times?.running === tile.dataset.color ? "" : null);
  }
  for (const node of document.querySelectorAll("[data-since]")) {
    const since = table.sync.at(Number(node.dataset.since));
    const seconds = since === null ? 0 : Math.max(0, Math.floor((now - since) / 1000));
    text(node, `${node.dataset.label}: open for ${seconds} s`);
  }
}

const configured = async () => (await fetch("config.json", { cache: "no-store" })).json();

/** Signs in with a password: at the web server where it asks for one, else at the broker. */
async function signIn(password) {
  const config = await configured();
  if (config.login === "mqtt") return open(config, { username: "arbiter", password });
  const answer = await fetch("login", { method: "POST", body: password });
  if (!answer.ok) throw new Error(await answer.text());
  open(config);
}

/** Comes in: with a login of the broker's, or with the cookie of the web server. */
function open(config, login) {
  prefix = config.prefix;
  const url = new URL(login ? "mqtt" : "mqtt?role=arbiter", location.href.split("#")[0]);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  client = connect({
    url: url.href,
    login,
    // The last filter says whether this is the arbiter's connection.
    groups: [[`${prefix}/table/+/live/board/+/clock`, `${prefix}/table/+/arbiter/response/#`, `${prefix}/table/+/arbiter/state`]],
    onMessage: take,
    onLink: (state, detail) => {
      text(at("link-text"), state);
      document.body.dataset.link = state;
      if (state === "live") {
        at("login").hidden = true;
        at("work").hidden = at("tabs").hidden = false;
        text(at("login-error"), "");
      } else if (!at("login").hidden) {
        text(at("login-error"), detail ? `Not signed in: ${detail}` : "");
        if (detail) client.end(true);
      }
    },
  });
}

at("login").addEventListener("submit", (event) => {
  event.preventDefault();
  client?.end(true);
  signIn(at("password").value).catch((error) => text(at("login-error"), `Not signed in: ${error.message}`));
});
for (const tab of document.querySelectorAll("#tabs button")) {
  tab.addEventListener("click", () => at(tab.dataset.to).scrollIntoView());
}
at("table-chooser").addEventListener("change", (event) => {
  location.hash = new URLSearchParams({ table: event.target.value }).toString();
});
addEventListener("hashchange", render);
setInterval(tick, 250);
configured().then((config) => { if (config.login === "in") open(config); }).catch(() => {});
