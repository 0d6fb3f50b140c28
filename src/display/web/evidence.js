// Evidence of an incident: squares marked on its board, trays with the man that is missing or should not be there, and
// the rest in words. In: an incident and the arbiter's state. Out: elements and text.

import { Board } from "./board.js";
import { format } from "./clock.js";
import { el, man, svg } from "./dom.js";
import { count, NAMES, parse, seen } from "./placement.js";

const ROLES = ["q", "r", "b", "n", "p"];
/** What a square is that stands under this key; any other is one that is concerned. */
const MARKS = { from: "from", to: "to", king: "king", checkers: "checker", draws_on: "draws", missing: "missing" };
/** The square of a capture with its board. */
const CAPTURED = /^([A-Z]):([a-h][1-8])$/;
/** Where text may look like a square and is none. */
const NO_SQUARE = ["move", "uci", "san", "slots"];
/** What is wrong with the man of a kind of incident, unless it is missing. */
const MARKED = {
  "wrong-pocket": "stray", "foreign-piece": "stray", "early-pass": "early", "hidden-drop": "unseen",
  "restricted-piece-used": "barred",
};
/** Kinds whose man came from the player's own tray. */
const DROPS = ["hidden-drop", "restricted-piece-used"];

/** A seat with the name of who sits there. */
export function named(state, seat) {
  const color = seat === seat.toUpperCase() ? "White" : "Black";
  return state.players[seat] || `${color} ${seat.toUpperCase()}`;
}

const isSquare = (value) => typeof value === "string" && /^[a-h][1-8]$/.test(value);
const list = (value) => (Array.isArray(value) ? value : []);
const isMan = (letter) => typeof letter === "string" && letter.length === 1 && letter.toLowerCase() in NAMES;

/** Evidence whose men and seats are such: what another version of the table says must not break the page. */
function read(one) {
  const e = one.evidence && typeof one.evidence === "object" && !Array.isArray(one.evidence) ? { ...one.evidence } : {};
  for (const key of ["pocket_of", "belongs_to", "seat"]) if (!/^[a-z]$/i.test(e[key])) delete e[key];
  const letter = e.man ?? e.piece;
  return { ...e, letter: isMan(letter) ? letter : null };
}

/** The squares that evidence names, `{square, kind}`, wherever they stand in it; each once, as what tells most. */
export function marksOf(evidence) {
  const found = new Map();
  const look = (value, kind) => {
    if (isSquare(value)) {
      if ((found.get(value) ?? "square") === "square") found.set(value, kind);
    } else if (Array.isArray(value)) value.forEach((one) => look(one, kind));
    else if (value && typeof value === "object") {
      for (const [key, one] of Object.entries(value)) if (!NO_SQUARE.includes(key)) look(one, MARKS[key] ?? "square");
    }
  };
  look(evidence, "square");
  return [...found].map(([square, kind]) => ({ square, kind }));
}

/** The boards with the squares marked: the incident's, and the one on which its man was captured. */
export function boardsOf(one, state) {
  const own = read(one).board ?? one.board;
  const [, captured, square] = CAPTURED.exec(read(one).captured_on) ?? [];
  const marks = new Map([[own, marksOf(one.evidence)]]);
  if (captured && !marks.get(captured)?.some((mark) => mark.square === square)) {
    marks.set(captured, [...(marks.get(captured) ?? []), { square, kind: "captured" }]);
  }
  const boards = state.boards.filter(({ board, shown }) => marks.get(board)?.length > 0 && parse(shown));
  return boards.sort((a, b) => Number(b.board === own) - Number(a.board === own))
    .map((board) => drawn(one, board, marks.get(board.board), board.board !== own));
}

/** A board as the seat sees it, or on the other one the partner. */
function drawn(one, board, marks, other) {
  const men = parse(board.shown);
  const turned = one.seat ? (one.seat !== one.seat.toUpperCase()) !== other : false;
  const picture = new Board(`${board.board}-${one.id}`, turned);
  const check = marks.filter(({ kind }) => kind === "king").map(({ square }) => square);
  const told = marks.map(({ square, kind }) => (kind === "square" ? square : `${kind} ${square}`)).join(", ");
  picture.update(men, { last: [], made: [], check, mate: false, unexplained: list(board.unexplained) },
    `Board ${board.board}, marked: ${told}`);
  const at = (square) => {
    const [column, row] = seen(square, turned);
    return { x: column * 100, y: row * 100 };
  };
  picture.over.replaceChildren(...ghosts(read(one), men, at), ...marks.map(({ square, kind }) => {
    const { x, y } = at(square);
    const round = kind === "checker" ? { rx: 45 } : {};
    const inside = { x: x + 5, y: y + 5, width: 90, height: 90, ...round };
    return svg("rect", { class: "evidence", "data-square": square, "data-kind": kind, ...inside });
  }));
  return el("figure", { class: "board", "data-board": board.board }, picture.element,
    el("figcaption", {}, `Board ${board.board}`));
}

/** Men that were seen where the record has none. */
function ghosts(evidence, men, at) {
  const isGhost = (one) => isMan(one?.man) && isSquare(one.to) && !men.has(one.to);
  return [...list(evidence.men), ...list(evidence.also)].filter(isGhost).map((one) => {
    const { x, y } = at(one.to);
    const ghost = svg("g", { class: "ghost", transform: `translate(${x} ${y})` });
    ghost.append(man(one.man.toLowerCase(), one.man !== one.man.toLowerCase()));
    return ghost;
  });
}

/** The trays that evidence is about: `{seat, how, letters}`, `how` being one of `HOW`, `letters` the men. */
export function traysOf(one) {
  const { letter, pocket_of: pocket, belongs_to: owner, seat, ...evidence } = read(one);
  const hidden = list(evidence.hidden).map((other) => other?.man).filter(isMan);
  const letters = letter ? [letter] : hidden;
  if (letters.length === 0) return [];
  const own = DROPS.includes(one.kind) || slotsOf(evidence) ? one.seat : null;
  const tray = pocket ?? seat ?? own;
  const how = letter ? MARKED[one.kind] ?? "missing" : "hidden";
  const found = tray ? [{ seat: tray, how, letters }] : [];
  if (owner && owner !== tray) found.push({ seat: owner, how: "missing", letters });
  return found;
}

function slotsOf({ slots, slot }) {
  const found = [slots ?? slot].flat().filter((one) => ["number", "string"].includes(typeof one));
  return found.length > 0 ? `slot ${found.join(", ")}` : "";
}

const HOW = {
  missing: "is missing", stray: "lies there and should not", early: "came too early", barred: "may not be dropped",
  hidden: "hidden so far", unseen: "was never seen there",
};

/** The trays with their men marked. */
export function trays(one, state) {
  const number = slotsOf(read(one));
  return traysOf(one).map(({ seat, how, letters }, index) => {
    const board = state.boards.find((other) => other.board === seat.toUpperCase());
    const white = seat === seat.toUpperCase();
    const held = count(board?.[white ? "white" : "black"].pieces);
    const roles = [...new Set(letters.map((letter) => letter.toLowerCase()))];
    const stray = how === "stray";
    const slots = ROLES.map((role) => slot(role, white, held[role], !stray && roles.includes(role) ? how : null));
    if (stray) slots.push(...letters.map((letter) => slot(letter.toLowerCase(), !roles.includes(letter), 1, how)));
    const title = `Tray of ${named(state, seat)}`;
    const told = `${roles.map((role) => NAMES[role]).join(", ")} ${HOW[how]}`;
    return el("figure", { class: "tray", "data-seat": seat, role: "img", "aria-label": `${title}: ${told}` },
      el("figcaption", {}, title, ...(index === 0 && number ? [el("b", {}, number)] : [])),
      el("ul", { class: "pocket" }, ...slots), el("p", {}, told));
  });
}

function slot(role, white, held, mark) {
  const picture = svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, man(role, white));
  const data = { "data-role": role, "data-held": held, "data-coming": 0, ...(mark && { "data-mark": mark }) };
  return el("li", { class: "slot", ...data }, picture, el("b", { class: "count" }, held > 1 ? String(held) : ""));
}

/** Instants that are told as times of day, with their words. */
const TIMES = {
  captured_at: "captured at", waiting_since: "waited for since", seen_at: "seen there at", back_at: "back at",
  restricted_at: "restricted at",
};
/** What other words or the pictures tell. */
const SILENT = ["uci", "reasons", "clock", "place", "from", "to", "king", "checkers", "slots", "slot", "piece", "man",
  "pocket_of", "belongs_to", "seat", "board", "last_seen", "occurrences", "needed", "men", "also", "letter",
  "captured_on", "hidden", "raw"];
const PLACES = { transit: "captured and not handed over", lifted: "taken out of the tray" };

/** Evidence in words. */
export function facts(one, state) {
  const e = read(one);
  const time = (at) => timeOfDay(new Date(Date.parse(state.time) - (state.t - at) / 1000));
  const told = [
    one.reason && one.reason.replaceAll("-", " "),
    ...about(e, state),
    PLACES[e.place],
    "last_seen" in e
      && (Number.isFinite(e.last_seen) ? `last seen at ${time(e.last_seen)}` : "never seen in the tray"),
    ...Object.entries(TIMES).map(([key, words]) => Number.isFinite(e[key]) && `${words} ${time(e[key])}`),
    ...rest(e, state),
  ];
  return told.filter(Boolean).join(" · ");
}

/** Men, squares and seats. */
function about(e, state) {
  const { letter } = e;
  const [, captured, square] = CAPTURED.exec(e.captured_on) ?? [];
  const checkers = list(e.checkers).join(" and ");
  const ways = [...list(e.men), ...list(e.also)].filter((way) => isMan(way?.man));
  const way = e.from && e.to ? `${e.from}–${e.to}` : e.from ? `from ${e.from}` : e.to && `on ${e.to}`;
  return [
    letter && `${letter === letter.toLowerCase() ? "black" : "white"} ${NAMES[letter.toLowerCase()]}`,
    captured && `captured on board ${captured}, ${square}`,
    e.pocket_of && `tray of ${named(state, e.pocket_of)}`,
    e.belongs_to && `belongs to ${named(state, e.belongs_to)}`,
    way,
    e.king && `king ${e.king}${checkers && ` attacked from ${checkers}`}`,
    ...list(e.hidden).filter((one) => isMan(one?.man)).map(hid),
    ...ways.map((one) => `${NAMES[one.man.toLowerCase()]} ${one.from}–${one.to}`),
    e.needed && `stands for the ${e.occurrences}. time of ${e.needed}`,
  ];
}

/** One of several men that were hidden. */
function hid({ kind, man: letter, to }) {
  return `${String(kind).replaceAll("-", " ")}: ${NAMES[letter.toLowerCase()]}${isSquare(to) ? ` on ${to}` : ""}`;
}

/** Whatever else there is, times of no use excepted. */
function rest(e, state) {
  const drawn = e.men || e.also || e.missing || CAPTURED.test(e.captured_on);
  const silent = (key) => SILENT.includes(key) || key in TIMES || (key === "squares" && drawn);
  const tells = ([key, value]) => !silent(key) && value !== null && !/_at$|^since$|^until$|^starts$/.test(key);
  return Object.entries(e).filter(tells).map(([key, value]) => {
    if (key.endsWith("_by")) return `${key.replaceAll("_", " ")} ${named(state, String(value))}`;
    if (key.endsWith("_ms")) return `${key.slice(0, -3).replaceAll("_", " ")} ${format(value).join("")}`;
    return value?.length === 0 ? "" : `${key.replaceAll("_", " ")} ${words(value)}`;
  });
}

function words(value) {
  if (Array.isArray(value)) return value.map(words).join(" ");
  if (!value || typeof value !== "object") return String(value);
  const known = Object.entries(value).filter(([, one]) => one !== null);
  return known.map(([key, one]) => `${key.replaceAll("_", " ")} ${words(one)}`).join(", ");
}

/** "15:09:26" as the clock on the wall says it. */
export function timeOfDay(date) {
  if (Number.isNaN(date.getTime())) return "?";
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}
