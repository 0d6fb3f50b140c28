// The hall: every table of every recorder on the bus as a card. A pure MQTT client like the page of one table, from
// which it has its store, its boards and its clocks.

import { Board } from "./board.js";
import { delayMs, format } from "./clock.js";
import { attribute, el, text } from "./dom.js";
import { connect } from "./link.js";
import * as placement from "./placement.js";
import { Store } from "./store.js";
import { filters, parse } from "./topics.js";

/** How often clocks are drawn, in ms: nobody reads tenths across a hall. */
const TICK_MS = 200;
const STATUS = { waiting: "waiting", playing: "playing", paused: "paused", ended: "over" };

const at = (id) => document.getElementById(id);
const store = new Store();
const cards = new Map();
const changed = new Set();
let link = "connecting";

/** One player beside a board. */
class Player {
  constructor(letter) {
    this.letter = letter;
    this.name = el("span", { class: "name" });
    this.held = el("span", { class: "held" });
    this.time = el("time", {}, "–");
    this.element = el("p", { class: "player", "data-seat": letter }, this.name, this.held, this.time);
  }

  update(names, pocket) {
    text(this.name, names?.[this.letter] || this.letter);
    text(this.held, `${pocket?.pieces ?? ""}${pocket?.in_transit ? ` (${pocket.in_transit})` : ""}`);
  }

  tick(ms, running) {
    text(this.time, Number.isFinite(ms) ? format(ms)[0] : "–");
    attribute(this.element, "data-running", running ? "" : null);
  }
}

/** One board with its players; partners sit side by side as on the page of the table. */
class Mini {
  constructor(letter) {
    const turned = (letter.charCodeAt(0) - 65) % 2 === 1;
    this.letter = letter;
    this.board = new Board(letter, turned);
    this.white = new Player(letter);
    this.black = new Player(letter.toLowerCase());
    const [top, bottom] = turned ? [this.white, this.black] : [this.black, this.white];
    this.element = el("div", { class: "mini", "data-board": letter }, top.element, this.board.element, bottom.element);
  }

  update(one, state) {
    this.white.update(state.players, one.white);
    this.black.update(state.players, one.black);
    const men = placement.parse(one.shown || one.fen) ?? new Map();
    const marks = { last: placement.touched(one.last?.move), made: [], check: [], unexplained: [] };
    const last = one.last ? `last move ${one.last.san}` : "no move yet";
    this.board.update(men, marks, `Board ${this.letter}: ${last}`);
  }
}

/** One table. */
class Card {
  #minis = [];

  constructor(id) {
    this.title = el("span", {}, `Table ${id}`);
    this.state = el("span", { class: "state" });
    this.pair = el("div", { class: "pair" });
    const href = `./#${new URLSearchParams({ table: id })}`;
    this.link = el("a", { class: "card", href }, el("p", { class: "head" }, this.title, this.state), this.pair);
    this.element = el("li", { "data-table": id }, this.link);
  }

  update(table) {
    const { state } = table;
    const letters = state.boards.map((one) => one.board);
    if (letters.join() !== this.#minis.map((one) => one.letter).join()) {
      this.#minis = letters.map((letter) => new Mini(letter));
      this.pair.replaceChildren(...this.#minis.map((one) => one.element));
    }
    state.boards.forEach((one, i) => this.#minis[i].update(one, state));
    const result = state.status === "ended" && state.result !== "*" ? `${state.result} ${state.reason}` : "";
    text(this.state, result || (STATUS[state.status] ?? ""));
    attribute(this.link, "data-status", state.status);
  }

  tick(table, now) {
    const stale = link !== "live" || store.offline(table);
    const frozen = stale || table.state.status === "paused" || table.state.status === "ended";
    attribute(this.link, "data-stale", stale ? "" : null);
    for (const mini of this.#minis) {
      const options = { frozen, delayMs: delayMs(table.state.time_control) };
      const times = table.clocks.get(mini.letter)?.show(now, table.sync, options);
      mini.white.tick(times?.white, times?.running === "white");
      mini.black.tick(times?.black, times?.running === "black");
    }
  }
}

const byNumber = new Intl.Collator(undefined, { numeric: true }).compare;

function render() {
  const tables = [...store.tables.values()].filter((table) => table.state).sort((a, b) => byNumber(a.id, b.id));
  for (const id of cards.keys()) if (!store.tables.get(id)?.state) cards.delete(id);
  for (const table of tables) {
    if (!cards.has(table.id)) changed.add(table.id);
    const card = cards.get(table.id) ?? new Card(table.id);
    cards.set(table.id, card);
    if (changed.has(table.id)) card.update(table);
  }
  changed.clear();
  const items = tables.map((table) => cards.get(table.id).element);
  const list = at("tables");
  if (items.length !== list.children.length || items.some((item, i) => item !== list.children[i])) {
    list.replaceChildren(...items);
  }
  const nodes = [...store.nodes].sort(([a], [b]) => byNumber(a, b));
  at("nodes").replaceChildren(...nodes.map(([id, node]) => el("li", { "data-state": node.state }, id)));
  const playing = tables.filter((table) => table.state.status === "playing").length;
  text(at("summary"), tables.length ? `${tables.length} tables, ${playing} playing` : "Looking for tables");
  at("nothing").hidden = tables.length > 0;
}

function tick() {
  if (changed.size > 0) render();
  const now = performance.now();
  for (const [id, card] of cards) {
    const table = store.tables.get(id);
    if (table?.state) card.tick(table, now);
  }
}

async function start() {
  const { prefix } = await (await fetch("config.json", { cache: "no-store" })).json();
  const url = new URL("mqtt", location.href.split("#")[0]);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  connect({
    url: url.href,
    groups: ["live", "public"].map((one) => filters(prefix, one).filter((filter) => !filter.endsWith("/bpgn"))),
    onMessage: (topic, payload) => {
      const about = parse(prefix, topic);
      if (!about || !store.take(about, payload, performance.now())) return;
      if (about.kind === "state" || about.kind === "node") changed.add(about.table ?? "");
    },
    onLink: (state) => {
      link = state;
      document.body.dataset.link = state;
      text(at("link-text"), state);
    },
  });
}

setInterval(tick, TICK_MS);
start().catch(() => setTimeout(() => location.reload(), 5_000));
