// Incidents as cards: what happened, its evidence, what may be done. In: an incident and the arbiter's state. Out:
// elements. It sends nothing itself.

import { el } from "./dom.js";
import { boardsOf, facts, named, trays } from "./evidence.js";
import { NAMES } from "./placement.js";

/** Kinds of incidents in words. */
export const WORDS = {
  "illegal-move": "Illegal move", "incomplete-castling": "Castling not complete", checkmate: "Checkmate",
  repetition: "Position repeated", "flag-fall": "Flag", "not-passed": "Man not passed", "early-pass": "Man passed early",
  "wrong-pocket": "Man in the wrong pocket", concealed: "Man concealed", "hidden-drop": "Hidden man dropped",
  "restricted-piece-used": "Restricted man used", "repeatedly-hiding": "Repeatedly hiding", "foreign-piece": "Foreign man",
  premove: "Premove", displaced: "Men displaced", "clock-without-move": "Clock pressed without a move",
  "wrong-setup": "Wrong set-up", "uneven-start": "Uneven start", "moved-while-frozen": "Moved while frozen",
  "clock-defect": "Clock defective", paused: "Clocks stopped", "wrong-claim": "Wrong claim", "arbiter-called": "Arbiter called",
};
/** Kinds whose confirmation ends the game. */
const ENDS = ["illegal-move", "incomplete-castling", "checkmate", "repetition", "flag-fall", "wrong-claim"];

/** What an incident is in words: a king that was captured ends a variant as a mate ends the game. */
function titleOf(one) {
  return one.reason === "king-captured" ? "King captured" : WORDS[one.kind] ?? one.kind;
}

/** An open incident with its evidence on the board; `order(label, verb, data)` asks the table. */
export function incidentCard(one, state, order) {
  const title = titleOf(one);
  const who = one.seat ? `: ${named(state, one.seat)}` : "";
  const claimers = one.claimable_by.map((seat) => named(state, seat)).join(" or ");
  const until = claimers ? `Claim of ${claimers}` : "Noticed";
  const acts = el("div", { class: "acts" }, button("confirm", "Confirm", () =>
    order(`Confirm ${title.toLowerCase()}${ENDS.includes(one.kind) ? ", the game ends" : ""}`, "confirm", { incident: one.id })));
  for (const seat of one.claimable_by) {
    acts.append(button("claim", `${named(state, seat)} claims`, () =>
      order(`${named(state, seat)} claims ${title.toLowerCase()}`, "claim", { kind: one.kind, by: seat })));
  }
  const hidden = one.kind === "hidden-drop" && one.law === "WBN" && NAMES[String(one.evidence?.man).toLowerCase()];
  if (hidden && one.seat) {
    // What was dropped hidden may be restricted (WBN 1.8b).
    const which = { seat: one.seat, piece: one.evidence.man.toUpperCase() };
    acts.append(button("invisible", `Invisible ${hidden}`, () =>
      order(`${named(state, one.seat)} may not drop a ${hidden}`, "invisible", which)));
  }
  acts.append(button("dismiss", "Dismiss", () =>
    order(`Dismiss ${title.toLowerCase()}`, "dismiss", { incident: one.id })));
  const head = [
    el("h3", {}, `${title}${who} `, el("span", { class: "article" }, `${one.law} ${one.article}`)),
    el("p", { class: "window", "data-since": String(since(one)), "data-label": until }, until),
  ];
  const data = { "data-id": String(one.id), "data-kind": one.kind, "data-grade": one.grade };
  const card = el("li", { class: "incident", ...data });
  const pictures = [...boardsOf(one, state), ...trays(one, state)];
  card.append(el("div", { class: "head" }, ...head));
  if (pictures.length > 0) card.append(el("div", { class: "shown" }, ...pictures));
  card.append(el("div", { class: "told" }, el("p", { class: "facts" }, facts(one, state)), acts));
  return card;
}

/** A decided incident in a line; one whose ground is gone says so: nobody dismissed it. */
export function incidentLine(one, state) {
  const who = one.seat ? ` ${named(state, one.seat)}` : "";
  const reason = one.reason ? ` ${one.reason}` : "";
  const gone = one.evidence?.withdrawn_by;
  const became = gone ? `withdrawn after a ${gone} of the record` : one.state;
  return el("li", { "data-id": String(one.id) }, `${titleOf(one)}${who}${reason}: ${became}`);
}

/** Open incidents as an arbiter needs them: what may end the game first, what nobody minds last. */
export function byWeight(incidents) {
  const weight = (one) => ["decisive", "warning", "note"].indexOf(one.grade);
  return [...incidents].sort((a, b) => weight(a) - weight(b));
}

function button(kind, label, act) {
  const node = el("button", { type: "button", class: kind }, label);
  node.addEventListener("click", act);
  return node;
}

/** When it happened, in the table's microseconds. */
function since(one) {
  const e = one.evidence ?? {};
  return [e.completed_at, e.made_at, e.fell_at, e.waiting_since, e.since, e.pressed_at].find(Number.isFinite) ?? 0;
}
