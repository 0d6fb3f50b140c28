// Small helpers to build elements without markup in strings: what the bus says never becomes markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element with properties, attributes (`data-`, `aria-`, `role`) and children. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same in SVG. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Sets text only where it changed: assistive technology and layout notice every write. */
export function text(node, value) {
  if (node.textContent !== value) node.textContent = value;
}

/** Sets or removes an attribute, only where it changed. */
export function attribute(node, name, value) {
  if (value === null || value === undefined) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/** A man as a reference into the piece set. */
export function man(role, white) {
  return svg("use", { href: `assets/pieces.svg#${role}`, width: 100, height: 100, class: white ? "white" : "black" });
}
