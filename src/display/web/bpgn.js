// Reads the strict BPGN of `live/bpgn`. In: text. Out: moves in order of completion, the ending, the result. What is
// not understood is skipped: a scoreboard shows what it can.

/** The longest list that is shown, in moves; a record beyond it is not of this world. */
const MOVES_MAX = 4000;

const TOKEN = /\{([^}]*)\}|(\d+)([A-Ha-h])\.\s*([^\s{}]+)|(1-0|0-1|1\/2-1\/2|\*)(?=\s|$)/g;
const SECONDS = /^-?\d+(\.\d+)?$/;

/** `{moves: [{number, seat, board, white, san, clockMs}], ending, result}`. */
export function parse(text) {
  const game = { moves: [], ending: "", result: "*" };
  for (const token of body(text).matchAll(TOKEN)) {
    const [, comment, number, seat, san, result] = token;
    const last = game.moves.at(-1);
    if (result) game.result = result;
    else if (san && game.moves.length < MOVES_MAX) game.moves.push(move(Number(number), seat, san));
    else if (last && last.clockMs === null && SECONDS.test(comment)) last.clockMs = Math.round(Number(comment) * 1000);
    else if (comment) game.ending = comment;
  }
  return game;
}

function move(number, seat, san) {
  const board = seat.toUpperCase();
  return { number, seat, board, white: seat === board, san, clockMs: null };
}

/** The text without its tag pairs. */
function body(text) {
  return text.split("\n").filter((line) => !line.startsWith("[")).join("\n");
}
