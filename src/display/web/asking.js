// Orders on their way: asked about first or undone for a moment, sent, answered. In: orders and answers. Out: requests,
// and what the foot of the page says. It knows no verb.

import { attribute, text } from "./dom.js";

/** How long an order can be undone, in ms. */
const UNDO_MS = 3_000;
/** How long an answer is waited for, and a good one shown, in ms. */
const ANSWER_MS = 6_000;

const at = (id) => document.getElementById(id);

export class Asking {
  #pending = null;
  #waiting = new Map();
  #count = 0;
  #shown = null;

  /** `publish(table, verb, payload)` asks the table and tells whether there is a connection. */
  constructor(publish) {
    this.publish = publish;
    at("undo").addEventListener("click", () => this.#cancel());
    at("send").addEventListener("click", () => this.#send());
    at("answer-close").addEventListener("click", () => this.#answer("", false));
  }

  /**
   * Sends after the time to undo it is over, or, with `ask`, which may say what else follows, once it is agreed to.
   * One order at a time: another one sends the first at once, and drops one that was not agreed to.
   */
  order(table, label, verb, data, { ask = null } = {}) {
    if (this.#pending?.timer) this.#send();
    this.#pending = { table, label, verb, data, timer: ask === null ? setTimeout(() => this.#send(), UNDO_MS) : null };
    this.#answer("", false);
    text(at("toast-text"), ask === null ? label : `${label}? ${ask}`.trim());
    text(at("undo"), ask === null ? "Undo" : "Cancel");
    text(at("send"), ask === null ? "Now" : "Do it");
    attribute(at("toast"), "data-ask", ask === null ? null : "");
    at("toast").hidden = false;
  }

  /** Says why something cannot be ordered. */
  refuse(message) {
    this.#answer(message, true);
  }

  /** The table's answer to whatever was asked, by this page or another. */
  answered(message) {
    const asked = this.#waiting.get(message.transaction);
    if (!asked) return;
    clearTimeout(asked.late);
    this.#waiting.delete(message.transaction);
    const bad = message.status !== "ok";
    this.#answer(bad ? `${asked.label}: ${message.error?.message ?? "refused"}` : `${asked.label}: done`, bad);
  }

  #take() {
    const pending = this.#pending;
    clearTimeout(pending?.timer);
    this.#pending = null;
    at("toast").hidden = true;
    return pending;
  }

  #cancel() {
    if (this.#take()) this.#answer("Nothing was done", false);
  }

  #send() {
    const pending = this.#take();
    if (!pending) return;
    const { table, label, verb, data } = pending;
    this.#count += 1;
    const transaction = `desk-${Date.now()}-${this.#count}`;
    // What is sent into the void now would be carried out whenever there is a connection again.
    if (!this.publish(table, verb, { data, transaction })) {
      this.#answer(`${label}: not connected, nothing was sent`, true);
      return;
    }
    const late = setTimeout(() => {
      this.#waiting.delete(transaction);
      this.#answer(`${label}: no answer`, true);
    }, ANSWER_MS);
    this.#waiting.set(transaction, { label, late });
  }

  /** Shows an answer beside an order that waits; a bad one stays until it is closed. */
  #answer(message, bad) {
    clearTimeout(this.#shown);
    text(at("answer-text"), message);
    attribute(at("answer"), "data-bad", bad ? "" : null);
    at("answer").hidden = message === "";
    this.#shown = bad ? null : setTimeout(() => { at("answer").hidden = true; }, ANSWER_MS);
  }
}
