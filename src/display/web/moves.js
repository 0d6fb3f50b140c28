// The moves of all boards, one column a board. A row is read from left to right, so that the order of completion over
// the boards stays: a move shares the row of the one before it only if its board stands further right.

import { format } from "./clock.js";
import { attribute, el } from "./dom.js";

/** As near to the end as this counts as being there, in px. */
const NEAR_END_PX = 40;

/** Rows of `[{column, move}]` in reading order. */
export function rows(moves, boards) {
  const all = [];
  for (const move of moves) {
    const column = boards.indexOf(move.board);
    if (column < 0) continue;
    const last = all.at(-1);
    if (last && last.at(-1).column < column) last.push({ column, move });
    else all.push([{ column, move }]);
  }
  return all;
}

export class MoveList {
  #keys = [];
  #boards = "";
  /** Whether the list keeps to its end; scrolling up ends that. */
  following = true;

  constructor(section) {
    this.section = section;
    this.list = section.querySelector("ol");
    this.heads = section.querySelector(".heads");
    this.latest = section.querySelector("button");
    this.list.addEventListener("scroll", () => this.#follow());
    this.latest.addEventListener("click", () => this.#toEnd());
    new ResizeObserver(() => { if (this.following) this.#toEnd(); }).observe(this.list);
  }

  /** Shows completed moves, then those that are made only. */
  update(moves, made, boards) {
    if (boards.join() !== this.#boards) this.#columns(boards);
    const wanted = rows([...moves, ...made.map((one) => ({ ...one, made: true }))], boards);
    const keys = wanted.map((row) => JSON.stringify(row));
    let kept = 0;
    while (kept < keys.length && keys[kept] === this.#keys[kept]) kept += 1;
    if (kept === keys.length && kept === this.#keys.length) return;
    while (this.list.children.length > kept) this.list.lastChild.remove();
    this.list.append(...wanted.slice(kept).map(line));
    this.#keys = keys;
    if (this.following) this.#toEnd();
  }

  #columns(boards) {
    this.#boards = boards.join();
    this.#keys = [];
    this.list.replaceChildren();
    this.section.style.setProperty("--columns", boards.length);
    attribute(this.section, "data-many", boards.length > 2 ? "" : null);
    this.heads.replaceChildren(...boards.map((board) => el("span", {}, `Board ${board}`)));
  }

  #follow() {
    const { scrollTop, scrollHeight, clientHeight } = this.list;
    this.following = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    this.latest.hidden = this.following;
  }

  #toEnd() {
    this.following = true;
    this.list.scrollTop = this.list.scrollHeight;
    this.latest.hidden = true;
  }
}

function line(row) {
  const item = el("li", {});
  for (const { column, move } of row) {
    const cell = el("span", { class: "move", "data-board": move.board },
      el("i", { class: `disc ${move.white ? "white" : "black"}`, "aria-hidden": "true" }),
      el("span", { class: "number", "aria-hidden": "true" }, `${move.number}.`),
      el("span", { class: "san", "aria-hidden": "true" }, move.san),
      el("span", { class: "left", "aria-hidden": "true" }, left(move)),
      el("span", { class: "unseen" }, label(move)));
    cell.style.gridColumn = column + 1;
    attribute(cell, "data-made", move.made ? "" : null);
    item.append(cell);
  }
  return item;
}

function left(move) {
  return move.clockMs === null || move.clockMs === undefined ? "" : format(move.clockMs)[0];
}

/** "Board A, White, 12: Nf6, 4:45 left". */
export function label(move) {
  const time = left(move);
  const made = move.made ? ", not completed yet" : "";
  return `Board ${move.board}, ${move.white ? "White" : "Black"}, ${move.number}: ${move.san}`
    + (time && `, ${time} left`) + made;
}

