// What the bus said: one value per table and per node. In: parsed topics and payload text. Out: `Table`s. Whatever does
// not read as expected is counted and left out; nothing here touches the page.

import * as bpgn from "./bpgn.js";
import { BoardClock, TimeSync } from "./clock.js";

/** More tables than one hall has are not kept. */
const TABLES_MAX = 256;
const NODES_MAX = 128;
const BOARDS_MAX = 8;

const STATUSES = ["waiting", "playing", "paused", "ended"];

export class Store {
  tables = new Map();
  nodes = new Map();
  /** Payloads that could not be read, for the console of whoever looks. */
  rejects = 0;

  /** Takes a message in; answers with the table that changed, "node", or null. */
  take(about, text, now) {
    if (about.kind === "node") return this.#takeNode(about.node, text);
    const table = this.#table(about.table);
    if (!table) return null;
    if (about.kind === "bpgn") {
      table.record = bpgn.parse(text);
      return table;
    }
    if (text === "") return about.kind === "state" && this.tables.delete(about.table) ? table : null;
    const message = this.#json(text);
    return message && table.take(about, message, now) ? table : null;
  }

  /** Whether the daemon of a table's state is known to be gone. */
  offline(table) {
    if (!table?.state) return false;
    return [...this.nodes.values()].some((node) => node.session === table.state.session && node.state !== "online");
  }

  #takeNode(id, text) {
    if (text === "") this.nodes.delete(id);
    const message = text && this.#json(text);
    if (message && (this.nodes.has(id) || this.nodes.size < NODES_MAX)) {
      this.nodes.set(id, { state: String(message.state), session: message.session });
    }
    return "node";
  }

  #table(id) {
    if (!this.tables.has(id) && this.tables.size < TABLES_MAX) this.tables.set(id, new Table(id));
    return this.tables.get(id);
  }

  #json(text) {
    try {
      const value = JSON.parse(text);
      if (value && typeof value === "object") return value;
    } catch { /* counted below */ }
    this.rejects += 1;
    return null;
  }
}

class Table {
  state = null;
  record = { moves: [], ending: "", result: "*" };
  sync = new TimeSync();
  clocks = new Map();
  /** Lines that remain possible, by board letter. */
  uncertain = new Map();
  /** The last event that people want to hear of. */
  news = null;

  constructor(id) {
    this.id = id;
  }

  take(about, message, now) {
    this.sync.observe(message.session, message.t, now);
    if (about.kind === "state") return this.#takeState(message);
    if (about.kind === "clock") this.clock(about.board).take(message.session, message.t, message);
    if (about.kind === "event") this.#takeEvent(message);
    return true;
  }

  clock(board) {
    if (!this.clocks.has(board) && this.clocks.size < BOARDS_MAX) this.clocks.set(board, new BoardClock());
    return this.clocks.get(board) ?? new BoardClock();
  }

  #takeState(state) {
    const boards = readBoards(state.boards);
    const late = this.state?.session === state.session && state.t < this.state.t;
    if (late || boards.length === 0 || !Number.isFinite(state.t) || !STATUSES.includes(state.status)) return false;
    if (this.state && (this.state.game !== state.game || this.state.session !== state.session)) {
      this.clocks.forEach((clock) => clock.reset());
      this.uncertain.clear();
    }
    this.state = { ...state, boards };
    for (const board of this.state.boards) this.clock(board.board).take(state.session, state.t, board.clock);
    return true;
  }

  #takeEvent(event) {
    if (event.type === "clock") this.clock(event.board).take(event.session, event.t, event);
    if (event.type === "uncertain") this.uncertain.set(event.board, event.candidates ?? []);
    if (["resolved", "move", "correction", "move-made"].includes(event.type)) this.uncertain.delete(event.board);
    if (event.type === "game-started") this.uncertain.clear();
    if (["move", "game-started", "game-ended", "correction"].includes(event.type)) this.news = event;
  }
}

/** The entries that name a board, each board once. */
function readBoards(boards) {
  if (!Array.isArray(boards)) return [];
  const named = boards.slice(0, BOARDS_MAX).filter((one) => /^[A-H]$/.test(one?.board));
  return named.filter((one, i) => named.findIndex((other) => other.board === one.board) === i);
}
