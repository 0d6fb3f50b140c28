// What the arbiter's desk draws of evidence: squares on the board, trays with the man that is missing or should not be
// there, the rest in words; and all of it on a phone. Environment as in page.test.mjs.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { quiet, textOf, until } from "./browser.mjs";
import { Desk, illegalMove } from "./desk.mjs";

let desk;

before(async () => { desk = await Desk.open(`evidence-${process.pid}`); });
afterEach(() => desk.bus.clear());
after(() => desk?.close());

/** The table's clock in the fixture is at 185 s, the wall's at 15:09:26. */
const SECOND = 1_000_000;

/**
 * Evidence as the referee gives it; the squares that are drawn with what they are; the trays with their marks; and what
 * is told in words.
 */
const EVIDENCE = [
  { kind: "illegal-move", seat: "A", reason: "leaves-king-in-check", evidence: illegalMove(185 * SECOND).evidence,
    squares: "from d1, to d3, king c1, checker a1", trays: "",
    words: "leaves king in check · d1–d3 · king c1 attacked from a1 · move Rd3" },
  { kind: "illegal-move", seat: "a", reason: "several-changes",
    evidence: { move: "e4", from: null, to: "f5", also: [{ man: "p", from: "g7", to: "g5" }] },
    squares: "to f5, from g7, to g5", trays: "", words: "several changes · on f5 · pawn g7–g5 · move e4" },
  { kind: "checkmate", seat: "A", reason: "",
    evidence: { king: "c1", checkers: ["a1", "c3"], last_drop: { seat: "A", man: "Q", draws_on: ["b1"] } },
    squares: "king c1, checker a1, checker c3, draws b1", trays: "",
    words: "king c1 attacked from a1 and c3 · last drop seat A, man Q, draws on b1" },
  { kind: "displaced", seat: "a", reason: "",
    evidence: { men: [{ man: "q", from: "e5", to: "e4" }], squares: ["e5", "e4"], since: 1 },
    squares: "from e5, to e4", trays: "", words: "queen e5–e4" },
  { kind: "wrong-setup", seat: null, reason: "men-missing", evidence: { squares: ["d2"], missing: ["d2", "e2"] },
    squares: "missing d2, missing e2", trays: "", words: "men missing · missing d2 e2" },
  { kind: "not-passed", seat: "b", board: "B", reason: "",
    evidence: { man: "N", pocket_of: "A", place: "transit", since: 150 * SECOND, last_seen: 149 * SECOND, slots: null,
      captured_at: 150 * SECOND, waiting_since: 170 * SECOND, squares: ["e6"], captured_on: "B:e6",
      clock: { white_ms: 1, black_ms: 2 }, raw: { from: 1, to: 2 } },
    squares: "square e6", trays: "A n missing",
    words: "white knight · captured on board B, e6 · tray of North Star 001 · captured and not handed over · "
      + "last seen at 15:08:50 · captured at 15:08:51 · waited for since 15:09:11" },
  { kind: "concealed", seat: "a", reason: "",
    evidence: { man: "n", pocket_of: "a", place: "lifted", since: 160 * SECOND, last_seen: 160 * SECOND,
      captured_at: null, waiting_since: 160 * SECOND, slots: [3] },
    squares: "", trays: "a n missing slot 3",
    words: "black knight · tray of Player 002 · taken out of the tray · last seen at 15:09:01 · "
      + "waited for since 15:09:01" },
  { kind: "hidden-drop", seat: "A", reason: "never-seen-in-the-pocket",
    evidence: { man: "N", pocket_of: "A", to: "f5", captured_at: 100 * SECOND, captured_by: "b", made_at: 180 * SECOND,
      last_seen: null, squares: null, captured_on: "B:d5" },
    squares: "to f5, captured d5", trays: "A n unseen",
    words: "never seen in the pocket · white knight · captured on board B, d5 · tray of North Star 001 · on f5 · "
      + "never seen in the tray · captured at 15:08:01 · captured by Player 004" },
  { kind: "restricted-piece-used", seat: "B", board: "B", reason: "restricted-piece",
    evidence: { man: "B", to: "e6", restricted_at: 1 * SECOND, slots: [2] },
    squares: "to e6", trays: "B b barred slot 2",
    words: "restricted piece · white bishop · on e6 · restricted at 15:06:22" },
  { kind: "early-pass", seat: "b", board: "B", reason: "",
    evidence: { man: "Q", pocket_of: "A", seen_at: 170 * SECOND, completed_at: 172 * SECOND },
    squares: "", trays: "A q early", words: "white queen · tray of North Star 001 · seen there at 15:09:11" },
  { kind: "wrong-pocket", seat: "b", board: "B", reason: "",
    evidence: { man: "R", pocket_of: "b", since: 1, belongs_to: "A", squares: ["e2"] },
    squares: "square e2", trays: "b r stray, A r missing",
    words: "white rook · tray of Player 004 · belongs to North Star 001 · squares e2" },
  { kind: "foreign-piece", seat: "a", reason: "", evidence: { man: "Q", pocket_of: "a", since: 1 },
    squares: "", trays: "a q stray", words: "white queen · tray of Player 002" },
  // Other names of the same facts.
  { kind: "concealed", seat: "B", board: "B", reason: "",
    evidence: { piece: "P", seat: "B", slots: [0, 4], last_seen: 185 * SECOND },
    squares: "", trays: "B p missing slot 0, 4", words: "white pawn · last seen at 15:09:26" },
  { kind: "repeatedly-hiding", seat: "A", reason: "",
    evidence: { incidents: 3, pocket_of: "A", last_seen: 185 * SECOND, hidden: [
      { id: 2, kind: "concealed", man: "N", to: null, slots: [3], last_seen: 2 },
      { id: 3, kind: "hidden-drop", man: "Q", to: "f5", slots: null, last_seen: null }] },
    squares: "to f5", trays: "A q hidden n hidden",
    words: "tray of North Star 001 · concealed: knight · hidden drop: queen on f5 · last seen at 15:09:26 · "
      + "incidents 3" },
  { kind: "repeatedly-hiding", seat: "A", reason: "", evidence: { incidents: 3 },
    squares: "", trays: "", words: "incidents 3" },
  { kind: "clock-defect", seat: null, reason: "stopped",
    evidence: { seat: "A", shown_ms: 61_000, expected_ms: 45_000, before: null },
    squares: "", trays: "", words: "stopped · shown 1:01 · expected 0:45" },
  { kind: "paused", seat: null, board: null, reason: "",
    evidence: { stopped_at: 1, clocks: [{ board: "A", to_move: null }] },
    squares: "", trays: "", words: "clocks board A" },
];

const incident = (row, id) => ({
  id, grade: "warning", law: "WBN", article: "1.7", board: "A", claimable_by: [], claim_until: null, state: "open",
  ...Object.fromEntries(Object.entries(row).filter(([key]) => !["squares", "trays", "words"].includes(key))),
});

const drawn = (id) => {
  const card = document.querySelector(`.incident[data-id="${id}"]`);
  const rects = [...card.querySelectorAll("rect.evidence")];
  const squares = rects.map((node) => `${node.dataset.kind} ${node.dataset.square}`);
  const trays = [...card.querySelectorAll(".tray")].map((tray) => {
    const marks = [...tray.querySelectorAll("[data-mark]")].map((slot) => `${slot.dataset.role} ${slot.dataset.mark}`);
    return [tray.dataset.seat, ...marks, tray.querySelector("figcaption b")?.textContent].filter(Boolean).join(" ");
  });
  return { squares: squares.join(", "), trays: trays.join(", "), words: card.querySelector(".facts").textContent };
};

test("evidence of each kind is drawn and told", async () => {
  const incidents = EVIDENCE.map((row, index) => incident(row, index + 1));
  const page = await desk.signedIn(desk.state({ incidents }), { zone: "UTC" });
  for (const [index, { kind, squares, trays, words }] of EVIDENCE.entries()) {
    assert.deepEqual(await page.evaluate(drawn, index + 1), { squares, trays, words }, kind);
  }
  await quiet(page);
});

test("marks lie on their squares, and men that the record does not have there are drawn faintly", async () => {
  const displaced = incident(EVIDENCE.find(({ kind }) => kind === "displaced"), 1);
  const page = await desk.signedIn(desk.state({ incidents: [displaced, incident(EVIDENCE[0], 2)] }));
  const place = (id, selector) => page.locator(`.incident[data-id="${id}"] ${selector}`).evaluate((node) => {
    const [one, whole] = [node.getBoundingClientRect(), node.ownerSVGElement.getBoundingClientRect()];
    return [(one.x + one.width / 2 - whole.x) / whole.width * 8, (one.y + one.height / 2 - whole.y) / whole.height * 8]
      .map((at) => Math.floor(at));
  });
  // Black sits below on the one, White on the other.
  assert.deepEqual(await place(1, '[data-square="e4"].evidence'), [3, 3]);
  assert.deepEqual(await place(1, ".ghost"), [3, 3]);
  assert.deepEqual(await place(2, '[data-square="d1"].evidence'), [3, 7]);
  assert.equal(await page.locator('.incident[data-id="2"] .ghost').count(), 0);
  assert.equal(await page.locator('.incident[data-id="2"] rect.check').getAttribute("data-square"), "c1");
  await quiet(page);
});

test("hostile evidence is text, and breaks nothing", async () => {
  const evidence = [
    { squares: ["<b>x</b>", "z9", 4, null], man: "<i>", pocket_of: "A" }, { man: 5, slots: { a: 1 }, to: {} },
    { king: "e1", checkers: "e8", men: "Q", also: 7, last_seen: "x", pocket_of: 3, man: "Q" }, [], "text", null,
    { captured_on: "Z:e4", hidden: [null, 3, { man: "Q", kind: 5 }], pocket_of: "Z" },
    { captured_on: ["B:e4"], board: 4 },
  ];
  const of = (one) => ({ kind: "concealed", seat: "A", reason: "<u>", evidence: one });
  const incidents = evidence.map((one, index) => incident(of(one), index + 1));
  const page = await desk.signedIn(desk.state({ incidents }));
  await until(page, () => document.querySelectorAll(".incident").length, evidence.length);
  assert.equal(await page.locator(".incident :is(i, u, .facts b)").count(), 0);
  await quiet(page);
});

/** Everything to tap or fill in, with what is wrong with it; `foot` stays where it is and lies over the rest. */
const faults = () => {
  const wide = document.documentElement.scrollWidth - innerWidth;
  const found = wide > 0 ? [`the page is ${wide} px too wide`] : [];
  const all = [...document.querySelectorAll("button, select, input, textarea, a[href]")]
    .filter((node) => node.checkVisibility());
  const group = (node) => node.closest("[role=group]")?.ariaLabel ?? "";
  const name = (node) => `${group(node)} ${node.textContent || node.name || node.id}`.trim().slice(0, 40);
  const boxes = new Map();
  for (const node of all) {
    node.scrollIntoView({ block: "center" });
    const box = node.getBoundingClientRect();
    if (box.width < 44 || box.height < 44) found.push(`${name(node)} is ${box.width} × ${box.height}`);
    const off = box.left < 0 || box.right > innerWidth || box.top < 0 || box.bottom > innerHeight;
    if (off) found.push(`${name(node)} is off the screen`);
    const cut = node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1;
    if (cut && node.matches("button")) found.push(`${name(node)} is cut off`);
    for (const [x, y] of [[0.5, 0.5], [0.1, 0.2], [0.9, 0.8]]) {
      const top = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y);
      if (!node.contains(top)) found.push(`${name(node)} lies under ${top?.tagName} ${top?.className}`);
    }
    boxes.set(node, { left: box.left, right: box.right, top: box.top + scrollY, bottom: box.bottom + scrollY });
  }
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  for (const [node, box] of boxes) {
    for (const [other, its] of boxes) {
      const same = Boolean(node.closest(".foot")) === Boolean(other.closest(".foot"));
      if (node !== other && same && !apart(box, its)) found.push(`${name(node)} overlaps ${name(other)}`);
    }
  }
  return { found, count: all.length };
};

for (const [width, height] of [[375, 667], [320, 568], [1280, 720]]) {
  test(`at ${width} × ${height} everything is reached, nothing cut off, and all large enough for a thumb`, async () => {
    const incidents = EVIDENCE.map((row, index) => incident({ ...row, claimable_by: ["a", "B"] }, index + 1));
    const page = await desk.signedIn(desk.state({ incidents }), { width, height });
    const rest = await page.evaluate(faults);
    assert.deepEqual(rest.found, []);
    assert.ok(rest.count > 100, `${rest.count} controls`);
    await page.getByRole("button", { name: "Abort" }).click();
    const asked = await page.evaluate(faults);
    assert.deepEqual(asked.found, []);
    assert.equal(asked.count, rest.count + 2);
    await quiet(page);
  });
}

test("the parts of the page are a tap away, and say how many incidents are open", async () => {
  const page = await desk.signedIn(undefined, { width: 375, height: 667 });
  const tabs = page.getByRole("navigation", { name: "Parts of the page" });
  assert.equal(await textOf(page, "#tabs button"), "Incidents 1");
  const parts = { Record: "Record", "Men, audit": "Men off the boards", Orders: "Orders", Incidents: "Open incidents" };
  for (const [name, heading] of Object.entries(parts)) {
    await tabs.getByRole("button", { name }).click();
    const shown = page.getByRole("heading", { name: heading, exact: true });
    const seen = (node) => {
      const { top } = node.getBoundingClientRect();
      return top >= 0 && top < document.getElementById("tabs").getBoundingClientRect().top;
    };
    assert.ok(await shown.evaluate(seen), name);
  }
  await quiet(page);
});

test("a picture for the README: an incident of a board, and one of a tray", async () => {
  const concealed = incident({ ...EVIDENCE.find(({ kind }) => kind === "concealed"), claimable_by: ["A", "b"] }, 8);
  const [illegal, old] = desk.state().incidents;
  // As high as shows what there is to do: the foot stays at the foot.
  const page = await desk.signedIn(desk.state({ incidents: [illegal, concealed, old] }), { width: 360, height: 1610 });
  await until(page, () => document.querySelectorAll(".incident .tray, .incident .squares").length, 2);
  if (process.env.SCREENSHOT_ARBITER) await page.screenshot({ path: process.env.SCREENSHOT_ARBITER });
  await quiet(page);
});
