// One player: name, pocket, clock, and what the game brought. In: plain values. Out: an element that changes in place.

import { format } from "./clock.js";
import { attribute, el, man, svg, text } from "./dom.js";
import { NAMES, count } from "./placement.js";

const ROLES = ["q", "r", "b", "n", "p"];
/** From here on a running clock is in trouble, in ms. */
const LOW_MS = 20_000;

export class Seat {
  /** `place` is "top" or "bottom"; `team` 1 is the team of White on board A. */
  constructor(board, white, place, team) {
    this.white = white;
    this.letter = white ? board : board.toLowerCase();
    this.colour = white ? "White" : "Black";
    this.name = el("span", { class: "name" });
    this.outcome = el("span", { class: "outcome" });
    this.whole = el("span", { class: "whole" }, "–:––");
    this.tenths = el("span", { class: "tenths" });
    this.clock = el("div", { class: "clock", role: "timer", "aria-live": "off" }, this.whole, this.tenths);
    this.slots = new Map(ROLES.map((role) => [role, slot(role, white)]));
    this.pocket = el("ul", { class: "pocket" }, ...[...this.slots.values()].map((one) => one.element));
    const disc = el("span", { class: `disc ${white ? "white" : "black"}`, "aria-hidden": "true" }, this.letter);
    this.element = el("section", { class: `seat ${place}`, "data-seat": this.letter, "data-team": team },
      el("h3", { class: "player" }, disc, this.name, this.outcome), this.pocket, this.clock);
  }

  /** Name, pocket `{pieces, in_transit}` and outcome ("1", "½", "0" or ""). */
  update(name, pocket, outcome) {
    const shown = name || `${this.colour} ${this.letter.toUpperCase()}`;
    text(this.name, shown);
    attribute(this.name, "title", shown);
    attribute(this.element, "aria-label", `${this.colour} on board ${this.letter.toUpperCase()}: ${shown}`);
    text(this.outcome, outcome);
    attribute(this.element, "data-outcome", { 1: "won", "½": "drawn", 0: "lost" }[outcome]);
    const [held, coming] = [count(pocket?.pieces), count(pocket?.in_transit)];
    for (const [role, one] of this.slots) fillSlot(one, role, held[role], coming[role]);
    attribute(this.pocket, "aria-label", pocketLabel(shown, held, coming));
  }

  /** Milliseconds left, or null without a clock; whether this time runs; whether the news is old. */
  tick(ms, running, frozen) {
    const [whole, tenths] = ms === null ? ["–:––", ""] : format(ms);
    text(this.whole, whole);
    text(this.tenths, tenths);
    attribute(this.clock, "data-running", running ? "" : null);
    attribute(this.clock, "data-low", ms !== null && ms < LOW_MS ? "" : null);
    attribute(this.clock, "data-flag", ms === 0 ? "" : null);
    attribute(this.clock, "data-frozen", frozen ? "" : null);
    attribute(this.clock, "aria-label", `${this.colour} ${whole}${running ? ", running" : ""}`);
  }
}

function slot(role, white) {
  const number = el("b", { class: "count" });
  const coming = el("i", { class: "coming" });
  const picture = svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, man(role, white));
  return { number, coming, element: el("li", { class: "slot", "data-role": role }, picture, number, coming) };
}

function fillSlot(one, role, held, coming) {
  attribute(one.element, "data-held", held);
  attribute(one.element, "data-coming", coming);
  text(one.number, held > 1 ? String(held) : "");
  text(one.coming, coming > 0 ? `+${coming}` : "");
  const on = coming > 0 ? `, ${coming} on the way` : "";
  attribute(one.element, "title", held + coming > 0 ? `${NAMES[role]}: ${held}${on}` : null);
  attribute(one.element, "aria-hidden", held + coming > 0 ? null : "true");
}

function pocketLabel(name, held, coming) {
  const list = (counts) =>
    ROLES.filter((role) => counts[role]).map((role) => `${counts[role]} ${NAMES[role]}`).join(", ");
  const on = list(coming) && `; on the way: ${list(coming)}`;
  return `Pocket of ${name}: ${list(held) || "empty"}${on}`;
}
