// The recorder's side of the tests: publishes what a table would, to a topic tree of its own.

import { readFileSync } from "node:fs";
import mqtt from "mqtt";

/** A position from the middle of a real game: check on A, a move made and not completed on B. */
export const fixture = () => JSON.parse(readFileSync(new URL("fixture.json", import.meta.url), "utf8"));

export class Bus {
  #retained = new Set();

  static async connect(port, prefix, protocolVersion = 5) {
    const bus = new Bus();
    bus.prefix = prefix;
    bus.client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion, connectTimeout: 5_000 });
    return bus;
  }

  /** Text or a value below the prefix, retained unless told otherwise. */
  async send(topic, payload, retain = true) {
    const full = `${this.prefix}/${topic}`;
    if (retain) this.#retained.add(full);
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    await this.client.publishAsync(full, text, { qos: 1, retain });
  }

  state(table, state) {
    return this.send(`table/${table}/live/state`, { ...state, table });
  }

  bpgn(table, text) {
    return this.send(`table/${table}/live/bpgn`, text);
  }

  clock(table, state, board, times, t) {
    const { v, session, game, seq, time } = state;
    const message = { v, session, table, game, seq, t, time, board, ...times };
    return this.send(`table/${table}/live/board/${board.toLowerCase()}/clock`, message);
  }

  node(id, state, session) {
    return this.send(`node/${id}/state`, { v: 1, session, state });
  }

  /** Takes everything back that was retained. */
  async clear() {
    for (const topic of this.#retained) await this.client.publishAsync(topic, "", { qos: 1, retain: true });
    this.#retained.clear();
  }

  async end() {
    await this.clear();
    await this.client.endAsync();
  }
}
