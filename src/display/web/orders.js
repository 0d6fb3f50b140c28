// What the arbiter may order without an incident. In: the arbiter's state. Out: rows of controls. It sends nothing
// itself.

import { el } from "./dom.js";
import { named } from "./incident.js";

const MEN = { Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" };
const RESULTS = ["1-0", "0-1", "1/2-1/2", "*"];

/** Rows of controls; `order(label, verb, data)` asks the table. */
export function orders(state, order) {
  const letters = state.boards.flatMap((one) => [one.board, one.board.toLowerCase()]);
  const seats = () => choice("seat", letters.map((seat) => [seat, named(state, seat)]));
  const boards = () => choice("board", state.boards.map((one) => [one.board, `board ${one.board}`]));
  const men = (kinds) => choice("piece", [...kinds].map((kind) => [kind, MEN[kind]]));
  const steps = (state.freezing.length > 0 ? state.freezing : [5, 10]).map((one) => [String(one), `${one} s`]);
  return [
    row("Game", [], [
      ["Pause", () => order("Pause the game", "pause", {})],
      ["Resume", () => order("Resume the game", "resume", {})],
      ["New game", () => order("Order a new game", "new-game", {})],
      ["Abort", () => order("Abort the game", "abort", {})],
    ]),
    row("Freeze", [seats(), choice("seconds", steps)], [["Freeze", ({ seat, seconds }) =>
      order(`Freeze ${named(state, seat)} for ${seconds} s`, "penalty", { kind: "freeze", seat, seconds: Number(seconds) })]]),
    row("Penalty", [seats()], [
      ["Warn", ({ seat }) => order(`Warn ${named(state, seat)}`, "penalty", { kind: "warning", seat })],
      ["−½ point", ({ seat }) => order(`Half a point less for ${named(state, seat)}`, "penalty", { kind: "points", seat, points: -0.5 })],
      ["Loses", ({ seat }) => order(`${named(state, seat)} loses`, "penalty", { kind: "loss", seat })],
      ["Resigns", ({ seat }) => order(`${named(state, seat)} resigns`, "resign", { by: seat })],
    ]),
    row("Men", [seats(), men("PNBRQ")], [
      ["Invisible", ({ seat, piece }) => order(`${named(state, seat)} may not drop a ${MEN[piece]}`, "invisible", { seat, piece })],
      ["Visible", ({ seat, piece }) => order(`${named(state, seat)} may drop a ${MEN[piece]} again`, "visible", { seat, piece })],
    ]),
    row("Promotion", [seats(), men("QNRB")], [["Declare", ({ seat, piece }) =>
      order(`${named(state, seat)} promotes to a ${MEN[piece]}`, "declare", { seat, promotion: piece })]]),
    row("Draw", [seats()], [
      ["Offers", ({ seat }) => order(`${named(state, seat)} offers a draw`, "draw-offer", { by: seat })],
      ["Accepts", ({ seat }) => order(`${named(state, seat)} accepts the draw`, "draw-accept", { by: seat })],
    ]),
    row("Result", [choice("result", RESULTS.map((one) => [one, one])), entry("reason", "reason")], [["Set", ({ result, reason }) =>
      order(`Result ${result}`, "result", reason ? { result, reason } : { result })]]),
    row("Correct", [boards(), entry("ply", "ply", "numeric"), entry("move", "e2e4 or N@f5")], [["Correct", ({ board, ply, move }) =>
      order(`Board ${board}, ply ${ply} was ${move}`, "correct", { board, ply: Number(ply), move })]]),
    row("Take back", [boards()], [["Last move", ({ board }) => order(`Board ${board}: the last move was none`, "undo", { board })]]),
    row("Set clock", [boards(), entry("white", "White, 4:59", "text"), entry("black", "Black, 4:59", "text")], [["Set", ({ board, white, black }) =>
      order(`Board ${board}: White has ${white}, Black ${black}`, "set-clock", { board, white_ms: ms(white), black_ms: ms(black) })]]),
  ];
}

/** A time such as 4:59 or 59.5 in ms; none if it is none. */
export function ms(time) {
  const parts = /^(?:(\d+):)?(\d+(?:\.\d+)?)$/.exec(time);
  return parts ? Math.round((Number(parts[1] ?? 0) * 60 + Number(parts[2])) * 1000) : null;
}

/** A row: its name, its fields, and buttons that get the fields' values. */
function row(name, fields, acts) {
  const node = el("div", { class: "order", role: "group", "aria-label": name }, el("span", {}, name), ...fields);
  for (const [label, act] of acts) {
    const button = el("button", { type: "button" }, label);
    button.addEventListener("click", () => act(Object.fromEntries(fields.map((one) => [one.name, one.value.trim()]))));
    node.append(button);
  }
  return node;
}

function choice(name, options) {
  return el("select", { name, "aria-label": name }, ...options.map(([value, label]) => el("option", { value }, label)));
}

function entry(name, hint, mode = "text") {
  return el("input", { name, "aria-label": name, placeholder: hint, inputmode: mode, maxlength: "80" });
}
