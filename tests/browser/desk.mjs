// The arbiter's desk with the table played by the tests: they publish its state, hear its requests and answer them.

import { strict as assert } from "node:assert";
import { Browser, PATIENCE_MS } from "./browser.mjs";
import { Bus, fixture } from "./bus.mjs";

const URL_OF_PAGE = process.env.BUGHOUSED_URL ?? "http://127.0.0.1:8080/";
const PORT = Number(process.env.BUGHOUSED_MQTT ?? 1883);

/** An illegal move that is open, as the referee tells it. */
export function illegalMove(t) {
  return {
    id: 7, kind: "illegal-move", grade: "decisive", law: "WBN", article: "5.9", board: "A", seat: "A",
    reason: "leaves-king-in-check", claimable_by: ["a", "B"], claim_until: null, state: "open",
    evidence: {
      move: "Rd3", reasons: ["leaves-king-in-check"], uci: "d1d3", from: "d1", to: "d3", king: "c1", checkers: ["a1"],
      completed_at: t - 4_000_000,
    },
  };
}

export class Desk {
  /** What was asked of the table: `{topic, payload}`. */
  heard = [];
  #error = null;

  static async open(table) {
    const desk = new Desk();
    desk.table = table;
    const config = await (await fetch(new URL("config.json", URL_OF_PAGE))).json();
    desk.bus = await Bus.connect(PORT, config.prefix);
    desk.browser = await Browser.launch();
    desk.bus.client.on("message", (topic, payload) => desk.#hear(topic, JSON.parse(payload)));
    await desk.bus.client.subscribeAsync(`${config.prefix}/table/${table}/arbiter/request/#`);
    return desk;
  }

  /** What a table says to its arbiter: an illegal move, a man in transit, a kind that is restricted. */
  state(more = {}) {
    const { state } = fixture();
    const illegal = illegalMove(state.t);
    const decided = { state: "dismissed", evidence: {}, reason: "" };
    const old = { ...illegal, ...decided, id: 5, kind: "displaced", seat: "b", board: "B" };
    return {
      ...state, table: this.table, half_points: { white_a: 0, black_a: 0 }, adjudication: "advise", freezing: [5, 10],
      incidents: [illegal, old], flags: ["b"], offers: ["a"], frozen: [], restricted: [["B", "N"]], paused_since: null,
      ledger: [{ man: "n", place: "transit", seat: "a", since: 1, seen: null }], rulings: [], ...more,
    };
  }

  tell(state) {
    return this.bus.send(`table/${this.table}/arbiter/state`, state);
  }

  /** Signed in on a page that shows `state`. */
  async signedIn(state = this.state(), options = {}) {
    await this.tell(state);
    const page = await this.browser.open(`${URL_OF_PAGE}arbiter#table=${this.table}`, options);
    await page.locator("#password").fill("secret");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("#work").waitFor();
    await page.locator("#orders .order").first().waitFor();
    return page;
  }

  /** How requests are answered from here on: well, or with an error `{code, message}`; "never" is not at all. */
  answers(error) {
    this.#error = error;
  }

  #hear(topic, payload) {
    this.heard.push({ topic, payload });
    const error = this.#error;
    if (error === "never") return;
    const verb = topic.split("/").at(-1);
    const answer = { status: error ? "error" : "ok", verb, transaction: payload.transaction, ...(error && { error }) };
    this.bus.send(`table/${this.table}/arbiter/response/${verb}`, answer, false);
  }

  /** The one request since `before`, which must be the only one: `{verb, data}`. */
  async asked(before) {
    for (const end = Date.now() + PATIENCE_MS; this.heard.length <= before && Date.now() < end;) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const found = this.heard.slice(before);
    assert.equal(found.length, 1, JSON.stringify(found));
    const [{ topic, payload }] = found;
    const root = `${this.bus.prefix}/table/${this.table}/arbiter/request/`;
    assert.ok(topic.startsWith(root), topic);
    assert.deepEqual(Object.keys(payload).sort(), ["data", "transaction"]);
    assert.match(payload.transaction, /^desk-\d+-\d+$/);
    return { verb: topic.slice(root.length), data: payload.data };
  }

  async close() {
    await this.browser?.close();
    await this.bus?.end();
  }
}
