// Placements of a FEN and squares of a board. In: text. Out: plain values. Knows no rules and draws nothing.

const FILES = "abcdefgh";
/** Men of a pocket as they are written. */
const ORDER = "qrbnp";

/** Names and counts men for people. */
export const NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };

/** A map from square ("e4") to `{role, white, promoted}`; null if the text is no placement. */
export function parse(text) {
  const ranks = String(text).split(" ")[0].split("/");
  // Holdings may follow the eighth rank.
  if (ranks.length < 8) return null;
  const men = new Map();
  for (const [row, rank] of ranks.slice(0, 8).entries()) {
    if (!readRank(rank, 8 - row, men)) return null;
  }
  return men;
}

function readRank(text, rank, men) {
  let file = 0;
  let last = null;
  for (const letter of text) {
    if (letter === "~" && last) last.promoted = true;
    else if (letter >= "1" && letter <= "8") file += Number(letter);
    else if (letter.toLowerCase() in NAMES && file < 8) {
      last = { role: letter.toLowerCase(), white: letter !== letter.toLowerCase(), promoted: false };
      men.set(FILES[file] + rank, last);
      file += 1;
    } else return false;
  }
  return file === 8;
}

/** Squares that a move in UCI touches: both, or one for a drop; none for nonsense. */
export function touched(uci) {
  const found = /^(?:[PNBRQ]@|([a-h][1-8]))([a-h][1-8])[a-z]?$/i.exec(String(uci));
  return found ? found.slice(1).filter(Boolean) : [];
}

/** Column and row as seen, from the top left, of a square on a board that may be turned. */
export function seen(square, turned) {
  const file = FILES.indexOf(square[0]);
  const rank = Number(square[1]) - 1;
  return turned ? [7 - file, rank] : [file, 7 - rank];
}

/** Counts of men by role from FEN letters of any case. */
export function count(letters) {
  const counts = { q: 0, r: 0, b: 0, n: 0, p: 0 };
  for (const letter of String(letters ?? "").toLowerCase()) if (letter in counts) counts[letter] += 1;
  return counts;
}

/** The position of all boards as a BFEN: what is captured and on its way belongs to the pockets. */
export function bfenOf(state) {
  const sorted = (pocket) => [...`${pocket?.pieces ?? ""}${pocket?.in_transit ?? ""}`]
    .sort((a, b) => ORDER.indexOf(a.toLowerCase()) - ORDER.indexOf(b.toLowerCase())).join("");
  return state.boards.map((one) => {
    const [men, side, castling, ep] = one.fen.split(" ");
    const held = sorted(one.white) + sorted(one.black);
    const times = one.clock ? ` ${Math.floor(one.clock.white_ms / 1000)} ${Math.floor(one.clock.black_ms / 1000)}` : "";
    return `${men}${held && `/${held}`} ${side} ${castling} ${ep}${times}`;
  }).join(" | ");
}
