// Incidents as cards: what happened, where on the board, what may be done. In: an incident and the arbiter's state. Out:
// elements. It sends nothing itself.

import { Board } from "./board.js";
import { el, svg } from "./dom.js";
import { parse, seen } from "./placement.js";

const WORDS = {
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

/** A seat with the name of who sits there. */
export function named(state, seat) {
  const color = seat === seat.toUpperCase() ? "White" : "Black";
  return state.players[seat] ?? `${color} ${seat.toUpperCase()}`;
}

/** An open incident with its evidence on the board; `order(label, verb, data)` asks the table. */
export function incidentCard(one, state, order) {
  const title = WORDS[one.kind] ?? one.kind;
  const who = one.seat ? `: ${named(state, one.seat)}` : "";
  const until = one.claimable_by.length > 0 ? `Claim of ${one.claimable_by.map((seat) => named(state, seat)).join(" or ")}` : "Noticed";
  const acts = el("div", { class: "acts" }, button("confirm", "Confirm", () =>
    order(`Confirm ${title.toLowerCase()}${ENDS.includes(one.kind) ? ", the game ends" : ""}`, "confirm", { incident: one.id })));
  for (const seat of one.claimable_by) {
    acts.append(button("claim", `${named(state, seat)} claims`, () =>
      order(`${named(state, seat)} claims`, "claim", { kind: one.kind, by: seat })));
  }
  acts.append(button("dismiss", "Dismiss", () => order(`Dismiss ${title.toLowerCase()}`, "dismiss", { incident: one.id })));
  const parts = [
    el("h3", {}, `${title}${who} `, el("span", { class: "article" }, `${one.law} ${one.article}`)),
    el("p", { class: "window", "data-since": String(since(one)), "data-label": until }, until),
    el("p", { class: "facts" }, [one.reason, facts(one.evidence)].filter(Boolean).join(" · ")),
    acts,
  ];
  const card = el("li", { class: "incident", "data-id": String(one.id), "data-kind": one.kind, "data-grade": one.grade });
  const picture = drawn(one, state);
  card.append(...(picture ? [picture, ...parts] : parts));
  return card;
}

/** A decided incident in a line; one whose ground is gone says so: nobody dismissed it. */
export function incidentLine(one, state) {
  const who = one.seat ? ` ${named(state, one.seat)}` : "";
  const reason = one.reason ? ` ${one.reason}` : "";
  const gone = one.evidence?.withdrawn_by;
  const became = gone ? `withdrawn after a ${gone} of the record` : one.state;
  return el("li", { "data-id": String(one.id) }, `${WORDS[one.kind] ?? one.kind}${who}${reason}: ${became}`);
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

/** Evidence as text: squares and men, no times. */
function facts(evidence) {
  const told = Object.entries(evidence ?? {}).filter(([key, value]) => value !== null && !/_at$|since|^squares$|^clock$/.test(key));
  return told.map(([key, value]) => `${key.replaceAll("_", " ")} ${typeof value === "object" ? JSON.stringify(value) : value}`).join(", ");
}

/** The squares that evidence names, wherever they stand in it. */
export function squaresOf(evidence) {
  const found = new Set();
  const look = (value) => {
    if (typeof value === "string" && /^[a-h][1-8]$/.test(value)) found.add(value);
    else if (value && typeof value === "object") Object.values(value).forEach(look);
  };
  look(evidence);
  return [...found];
}

/** The board with the squares marked; none where no square tells anything. */
function drawn(one, state) {
  const board = state.boards.find((other) => other.board === one.board);
  const squares = squaresOf(one.evidence);
  const men = board && parse(board.shown);
  if (!men || squares.length === 0) return null;
  const turned = one.seat ? one.seat !== one.seat.toUpperCase() : false;
  const picture = new Board(`${one.board}-${one.id}`, turned);
  picture.update(men, { last: [], made: [], check: [], mate: false, unexplained: board.unexplained ?? [] },
    `Board ${one.board}, ${squares.join(", ")} marked`);
  picture.over.replaceChildren(...squares.map((square) => {
    const [column, row] = seen(square, turned);
    return svg("rect", { class: "evidence", "data-square": square, x: column * 100 + 5, y: row * 100 + 5, width: 90, height: 90 });
  }));
  return picture.element;
}
