// Rows of controls: fields, and buttons that get what the fields hold. In: names, options, what to do. Out: elements.

import { el } from "./dom.js";

/** A row: its name, its fields with their `data-told` above them, and buttons that get the fields' values by name. */
export function row(name, fields, acts) {
  const values = () => Object.fromEntries(fields.map((one) => [one.name, one.value.trim()]));
  const buttons = acts.map(([label, act]) => {
    const button = el("button", { type: "button" }, label);
    button.addEventListener("click", () => act(values()));
    return button;
  });
  // Little stands in one line, for a short page.
  const few = fields.length < 3 && acts.length < 2;
  const node = el("div", { class: few ? "order short" : "order", role: "group", "aria-label": name });
  node.append(el("span", { class: "what" }, name));
  const told = (field) => (field.dataset.told ? el("label", {}, field.dataset.told, field) : field);
  if (fields.length > 0) node.append(el("div", { class: "fields" }, ...fields.map(told)));
  node.append(el("div", { class: "acts" }, ...buttons));
  return node;
}

/** A choice of `[value, label]`. */
export function choice(name, options) {
  return el("select", { name, "aria-label": name }, ...options.map(([value, label]) => el("option", { value }, label)));
}

/** A line of text. */
export function entry(name, hint, { mode = "text", value = "", max = 80 } = {}) {
  const plain = { autocomplete: "off", autocapitalize: "off", spellcheck: "false" };
  return el("input", { name, "aria-label": name, placeholder: hint, inputmode: mode, maxlength: max, value, ...plain });
}

/** Several lines of text. */
export function lines(name, hint, max) {
  return el("textarea", { name, "aria-label": name, placeholder: hint, rows: 3, maxlength: max, spellcheck: "false" });
}

/** A time such as 4:59 or 59.5 in ms; none if it is none. */
export function ms(time) {
  const parts = /^(?:(\d+):)?(\d+(?:\.\d+)?)$/.exec(time);
  return parts ? Math.round((Number(parts[1] ?? 0) * 60 + Number(parts[2])) * 1000) : null;
}
