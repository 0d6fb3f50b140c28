// What the arbiter may order without an incident. In: the arbiter's state. Out: rows of controls. It sends nothing
// itself; what ends a game or begins another one is asked about first.

import { named } from "./evidence.js";
import { choice, entry, lines, ms, row } from "./fields.js";
import { WORDS } from "./incident.js";
import { bfenOf, NAMES } from "./placement.js";

const RESULTS = ["1-0", "0-1", "1/2-1/2", "*"];
const POINTS = [["-0.5", "−½ point"], ["-1", "−1 point"], ["0.5", "+½ point"], ["1", "+1 point"]];
/** What may be claimed, the ends of the game first. */
const CLAIMS = [
  "illegal-move", "flag-fall", "checkmate", "repetition", "incomplete-castling", "concealed", "hidden-drop",
  "restricted-piece-used", "repeatedly-hiding", "not-passed", "early-pass", "wrong-pocket", "foreign-piece", "premove",
  "displaced", "clock-without-move", "moved-while-frozen", "wrong-setup", "uneven-start", "clock-defect",
];
/** The longest position and the longest name that are read, in letters. */
const BFEN_MAX = 2000;
const NAME_MAX = 100;
/** Asked about first; and what else is said then. */
const ASK = { ask: "" };
const ENDS = { ask: "One that is on ends without a result." };
const RISKS = { ask: "A wrong claim may count as an illegal move." };

/**
 * Rows of controls: those of play, and those of the record. `desk` has `order(label, verb, data, options)`, which asks
 * the table, `refuse(message)` and `state()`, what the table said last.
 */
export function orders(state, desk) {
  const letters = state.boards.flatMap((one) => [one.board, one.board.toLowerCase()]);
  const make = {
    name: (seat) => (seat === "arbiter" ? "The arbiter" : named(state, seat)),
    seats: (more = []) => choice("seat", [...letters.map((seat) => [seat, named(state, seat)]), ...more]),
    boards: () => choice("board", state.boards.map((one) => [one.board, `board ${one.board}`])),
    men: (kinds) => choice("piece", [...kinds].map((kind) => [kind, man(kind)])),
  };
  return {
    play: [game(desk), freeze(state, make, desk), penalty(make, desk), points(make, desk), ...men(make, desk),
      claim(make, desk), ends(make, desk)],
    record: [result(desk), correct(make, desk), takeBack(make, desk), clocks(make, desk), position(desk),
      players(state, letters, desk)],
  };
}

const man = (letter) => NAMES[letter.toLowerCase()];

function game({ order }) {
  return row("Game", [], [
    ["Start", () => order("Start on the boards that are set up", "start", {})],
    ["Pause", () => order("Pause the game", "pause", {})],
    ["Resume", () => order("Resume the game", "resume", {})],
    ["New game", () => order("Begin a new game", "new-game", {}, ENDS)],
    ["Abort", () => order("Abort the game without a result", "abort", {}, ASK)],
  ]);
}

function freeze(state, { name, seats }, { order }) {
  const steps = (state.freezing.length > 0 ? state.freezing : [5, 10]).map((one) => [String(one), `${one} s`]);
  return row("Freeze", [seats(), choice("seconds", steps)], [["Freeze", ({ seat, seconds }) =>
    order(`Freeze ${name(seat)} for ${seconds} s`, "penalty", { kind: "freeze", seat, seconds: Number(seconds) })]]);
}

function penalty({ name, seats }, { order }) {
  const act = (label, kind, says, options) =>
    [label, ({ seat }) => order(says(name(seat)), "penalty", { kind, seat }, options)];
  return row("Penalty", [seats()], [
    act("Warn", "warning", (who) => `Warn ${who}`),
    act("Loses", "loss", (who) => `${who} loses the game as a penalty`, ASK),
    act("New game", "new-game", (who) => `Begin a new game as a penalty for ${who}`, ASK),
    act("Expel", "expulsion", (who) => `Expel ${who}`, ASK),
  ]);
}

function points({ name, seats }, { order }) {
  return row("Points", [seats(), choice("points", POINTS)], [["Change", (chosen) => {
    const [, words] = POINTS.find(([value]) => value === chosen.points);
    const { seat } = chosen;
    order(`${words} for the team of ${name(seat)}`, "penalty", { kind: "points", seat, points: Number(chosen.points) });
  }]]);
}

function men({ name, seats, men: kinds }, { order }) {
  return [
    row("Hidden men", [seats(), kinds("PNBRQ")], [
      ["Invisible", ({ seat, piece }) =>
        order(`${name(seat)} may not drop a ${man(piece)}`, "invisible", { seat, piece })],
      ["Visible", ({ seat, piece }) =>
        order(`${name(seat)} may drop a ${man(piece)} again`, "visible", { seat, piece })],
    ]),
    row("Promotion", [seats(), kinds("QNRB")], [["Declare", ({ seat, piece }) =>
      order(`${name(seat)} promotes to a ${man(piece)}`, "declare", { seat, promotion: piece })]]),
  ];
}

/** A claim that no incident bears out has consequences. */
function claim({ name, seats }, { order }) {
  const kind = choice("kind", CLAIMS.map((one) => [one, WORDS[one].toLowerCase()]));
  const move = entry("move", "move that is about to repeat, such as g1f3");
  const fit = () => { move.hidden = kind.value !== "repetition"; };
  kind.addEventListener("change", fit);
  fit();
  return row("Claim", [seats([["arbiter", "the arbiter"]]), kind, move], [["Claim", (chosen) => {
    const data = { kind: chosen.kind, by: chosen.seat };
    if (chosen.kind === "repetition" && chosen.move) data.move = chosen.move;
    const options = chosen.seat === "arbiter" ? ASK : RISKS;
    order(`${name(chosen.seat)} claims ${WORDS[chosen.kind].toLowerCase()}`, "claim", data, options);
  }]]);
}

function ends({ name, seats }, { order }) {
  return row("Draw, resignation", [seats()], [
    ["Offers", ({ seat }) => order(`${name(seat)} offers a draw`, "draw-offer", { by: seat })],
    ["Accepts", ({ seat }) => order(`${name(seat)} accepts the draw`, "draw-accept", { by: seat }, ASK)],
    ["Resigns", ({ seat }) => order(`${name(seat)} resigns`, "resign", { by: seat }, ASK)],
  ]);
}

function result({ order }) {
  const fields = [choice("result", RESULTS.map((one) => [one, one])), entry("reason", "reason")];
  return row("Result", fields, [["Set", ({ result: points, reason }) =>
    order(`Result ${points}`, "result", reason ? { result: points, reason } : { result: points })]]);
}

function correct({ boards }, { order, refuse, state }) {
  const fields = [boards(), entry("ply", "ply, or the last", { mode: "numeric" }), entry("move", "e2e4 or N@f5")];
  return row("Correct", fields, [["Correct", ({ board, ply: written, move }) => {
    const ply = written === "" ? state().boards.find((one) => one.board === board)?.plies : Number(written);
    if (!Number.isInteger(ply) || ply < 1) refuse("Correct: expected a ply, counted from 1 on its board");
    else if (move === "") refuse("Correct: expected the move that was played, such as e2e4 or N@f5");
    else order(`Board ${board}, ply ${ply} was ${move}`, "correct", { board, ply, move });
  }]]);
}

function takeBack({ boards }, { order, state }) {
  return row("Take back", [boards()], [["Last move", ({ board }) => {
    const last = state().boards.find((one) => one.board === board)?.last;
    order(`Board ${board}: ${last ? last.san : "the last move"} was no move`, "undo", { board });
  }]]);
}

function clocks({ boards }, { order, refuse }) {
  const fields = [boards(), entry("white", "White, 4:59"), entry("black", "Black, 4:59")];
  return row("Set clock", fields, [["Set", ({ board, white, black }) => {
    const data = { board, white_ms: ms(white), black_ms: ms(black) };
    if (data.white_ms === null || data.black_ms === null) refuse("Set clock: expected two times such as 4:59 or 58.5");
    else order(`Board ${board}: White has ${white}, Black ${black}`, "set-clock", data);
  }]]);
}

function position({ order, refuse, state }) {
  const bfen = lines("bfen", "BFEN of all boards, joined by |", BFEN_MAX);
  return row("Set position", [bfen], [
    ["Write present one", () => { bfen.value = bfenOf(state()); }],
    ["Set", ({ bfen: text }) => {
      if (text === "") refuse("Set position: expected a BFEN, found nothing");
      else order("Begin a game from this position", "set-position", { bfen: text }, ENDS);
    }],
  ]);
}

/** Names at the seats; only those are sent that were changed. */
function players(state, letters, { order, refuse }) {
  const seatOf = (seat) => named({ players: {} }, seat);
  const fields = letters.map((seat) => {
    const field = entry(seat, seatOf(seat), { value: state.players[seat] ?? "", max: NAME_MAX });
    field.setAttribute("aria-label", seatOf(seat));
    field.dataset.told = seatOf(seat);
    return field;
  });
  return row("Players", fields, [["Set", (names) => {
    const other = letters.filter((seat) => names[seat] !== (state.players[seat] ?? ""));
    const data = Object.fromEntries(other.map((seat) => [seat, names[seat]]));
    const told = Object.entries(data).map(([seat, name]) => `${seatOf(seat)} is ${name || "nobody"}`);
    if (told.length === 0) refuse("Players: expected another name, found the same ones");
    else order(told.join(", "), "players", data);
  }]]);
}
