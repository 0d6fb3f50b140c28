// One board as SVG. In: a placement, marks. Out: an element that changes in place; men slide to where they went. Knows
// neither clocks nor pockets.

import { man, svg } from "./dom.js";
import { seen } from "./placement.js";

const FILES = "abcdefgh";

export class Board {
  #men = new Map();
  #shown = "";

  /** `turned` puts Black at the bottom. */
  constructor(letter, turned) {
    this.letter = letter;
    this.turned = turned;
    this.marks = svg("g", { class: "marks" });
    this.over = svg("g", { class: "over" });
    this.layer = svg("g", { class: "men" });
    this.element = svg("svg", { viewBox: "0 0 800 800", class: "squares", role: "img" },
      defs(letter), ground(turned), this.marks, this.layer, this.over);
  }

  /** Shows men (a map from square to man) and `{last, made, check, mate, unexplained}`, lists of squares. */
  update(men, marks, label) {
    this.element.setAttribute("aria-label", label);
    this.#place(men);
    const key = JSON.stringify(marks);
    if (key === this.#shown) return;
    this.#shown = key;
    this.marks.replaceChildren(
      ...marks.last.map((square) => this.#square(square, "last")),
      ...marks.unexplained.map((square) => this.#square(square, "unexplained", { fill: `url(#hatch-${this.letter})` })),
      ...marks.check.map((square) => this.#square(square, "check", { fill: `url(#check-${this.letter})` })),
    );
    this.over.replaceChildren(...marks.made.map((square) => this.#square(square, "made", {}, 5)));
  }

  #square(square, kind, more = {}, inset = 0) {
    const [column, row] = seen(square, this.turned);
    const side = 100 - 2 * inset;
    const at = { x: column * 100 + inset, y: row * 100 + inset, width: side, height: side };
    return svg("rect", { class: kind, "data-square": square, ...at, ...more });
  }

  /** Moves men that went, removes those that left, adds those that came. */
  #place(men) {
    const kind = (one) => `${one.role}${one.white}`;
    const left = [...this.#men].filter(([square, old]) => !same(old.man, men.get(square)));
    const came = [...men].filter(([square, one]) => !same(this.#men.get(square)?.man, one));
    for (const [square] of left) this.#men.delete(square);
    for (const [square, one] of came) {
      // A promoted man is the pawn that went: compare the mark too, then be content with the kind.
      const index = left.findIndex(([, old]) => old && same(old.man, one));
      const other = index >= 0 ? index : left.findIndex(([, old]) => old && kind(old.man) === kind(one));
      const node = other >= 0 ? left[other][1].node : draw(one);
      if (other >= 0) left[other][1] = null;
      mark(node, one);
      this.#move(node, square);
      this.layer.append(node);
      this.#men.set(square, { man: one, node });
    }
    for (const [, old] of left) old?.node.remove();
  }

  #move(node, square) {
    const [column, row] = seen(square, this.turned);
    node.dataset.square = square;
    node.style.transform = `translate(${column * 100}px, ${row * 100}px)`;
  }
}

function same(one, other) {
  if (!one || !other) return false;
  return one.role === other.role && one.white === other.white && one.promoted === other.promoted;
}

function draw(one) {
  const letter = one.white ? one.role.toUpperCase() : one.role;
  return svg("g", { class: "man", "data-man": letter }, man(one.role, one.white));
}

/** The dot of a promoted man. */
function mark(node, one) {
  const dot = node.querySelector("circle");
  if (one.promoted && !dot) node.append(svg("circle", { class: "promoted", cx: 84, cy: 16, r: 9 }));
  if (!one.promoted && dot) dot.remove();
}

function defs(letter) {
  return svg("defs", {},
    svg("radialGradient", { id: `check-${letter}` },
      svg("stop", { offset: "0.2", class: "check-in" }), svg("stop", { offset: "1", class: "check-out" })),
    svg("pattern", { id: `hatch-${letter}`, width: 14, height: 14, patternUnits: "userSpaceOnUse",
      patternTransform: "rotate(45)" }, svg("path", { d: "M0 0v14", class: "hatch" })));
}

/** Squares and their coordinates. */
function ground(turned) {
  let dark = "";
  for (let row = 0; row < 8; row += 1) {
    for (let column = (row + 1) % 2; column < 8; column += 2) dark += `M${column * 100} ${row * 100}h100v100h-100z`;
  }
  const group = svg("g", { class: "ground", "aria-hidden": "true" },
    svg("path", { class: "light", d: "M0 0h800v800h-800z" }), svg("path", { class: "dark", d: dark }));
  for (let i = 0; i < 8; i += 1) {
    const [file, rank] = turned ? [FILES[7 - i], i + 1] : [FILES[i], 8 - i];
    group.append(
      svg("text", { x: i * 100 + 91, y: 793, class: i % 2 ? "on-light" : "on-dark" }, file),
      svg("text", { x: 9, y: i * 100 + 24, class: i % 2 ? "on-dark" : "on-light" }, String(rank)));
  }
  return group;
}
