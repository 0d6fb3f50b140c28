// One board with its two players and its caption: half a table. In: a table's state. Out: an element.

import { Board } from "./board.js";
import { attribute, el, text } from "./dom.js";
import * as placement from "./placement.js";
import { Seat } from "./seat.js";

export class Half {
  /** Boards A, C, … have White at the bottom, the others Black: partners sit side by side. */
  constructor(letter) {
    const odd = (letter.charCodeAt(0) - 65) % 2 === 1;
    this.letter = letter;
    this.board = new Board(letter, odd);
    this.white = new Seat(letter, true, odd ? "top" : "bottom", odd ? 2 : 1);
    this.black = new Seat(letter, false, odd ? "bottom" : "top", odd ? 1 : 2);
    this.note = el("span", { class: "note" });
    const caption = el("h2", { class: "caption" }, el("span", { class: "letter" }, `Board ${letter}`), this.note);
    const [top, bottom] = odd ? [this.white, this.black] : [this.black, this.white];
    this.element = el("article", { class: "half", "data-board": letter, "aria-label": `Board ${letter}` },
      caption, top.element, this.board.element, bottom.element);
  }

  update(one, state, uncertain) {
    const names = state.players ?? {};
    this.white.update(names[this.letter], one.white, outcome(state, this.letter, true));
    this.black.update(names[this.letter.toLowerCase()], one.black, outcome(state, this.letter, false));
    const men = placement.parse(one.shown || one.fen) ?? new Map();
    const made = Array.isArray(one.made) ? one.made : [];
    const checked = checkedSide(one, made);
    const unexplained = Array.isArray(one.unexplained) ? one.unexplained.filter(isSquare) : [];
    const marks = {
      last: placement.touched(one.last?.move),
      made: [...new Set(made.flatMap((move) => placement.touched(move.move)))],
      check: checked === null ? [] : kings(men, checked),
      unexplained,
    };
    this.board.update(men, marks, this.#label(one, made));
    const [kind, note] = noteOf(one, made, checked, unexplained, uncertain);
    text(this.note, note);
    attribute(this.note, "title", note || null);
    attribute(this.note, "data-kind", kind);
  }

  #label(one, made) {
    const last = one.last ? `last move ${one.last.san}` : "no move yet";
    const then = made.length ? `, then ${made.map((move) => move.san).join(", ")}, not completed` : "";
    return `Board ${this.letter}: ${last}${then}; ${one.turn === "black" ? "Black" : "White"} to move`
      + (one.mate ? ", checkmate" : one.check ? ", check" : "");
  }

  /** Shows the clocks at this moment. */
  tick(clock, now, sync, options) {
    const times = clock?.show(now, sync, options);
    this.white.tick(times?.white ?? null, times?.running === "white", options.frozen);
    this.black.tick(times?.black ?? null, times?.running === "black", options.frozen);
  }
}

const isSquare = (text) => /^[a-h][1-8]$/.test(text);

/** Whether White (true) or Black (false) is seen to stand in check, or null; a made move decides uncompleted. */
function checkedSide(one, made) {
  const last = made.at(-1);
  if (!last) return one.check || one.mate ? one.turn !== "black" : null;
  const byWhite = last.seat === String(last.seat).toUpperCase();
  return /[+#]$/.test(last.san) ? !byWhite : null;
}

function kings(men, white) {
  return [...men].filter(([, man]) => man.role === "k" && man.white === white).map(([square]) => square);
}

/** What the caption says: the most urgent thing only. */
function noteOf(one, made, checked, unexplained, uncertain) {
  if (unexplained.length) return ["look", `needs a look: ${unexplained.join(" ")}`];
  if (uncertain?.length > 1) return ["look", `${uncertain.slice(0, 3).join(" or ")}?`];
  if (one.mate && made.length === 0) return ["mate", "checkmate"];
  if (made.length) return ["made", `${made.map((move) => move.san).join(" ")} – not pressed yet`];
  if (checked !== null) return ["check", "check"];
  return ["", ""];
}

/** "1", "½", "0" or "" for a seat: `1-0` is a win of the team of White on board A. */
export function outcome(state, letter, white) {
  const first = white === ((letter.charCodeAt(0) - 65) % 2 === 0);
  return { "1-0": first ? "1" : "0", "0-1": first ? "0" : "1", "1/2-1/2": "½" }[state.result] ?? "";
}
