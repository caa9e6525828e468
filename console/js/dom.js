// Elements from values. Text is always text: nothing here, or anywhere in the console, parses HTML.

const SVG = "http://www.w3.org/2000/svg";

/** Returns an element; `attributes` that are functions listen, false and null ones are left out. */
export function h(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** As `h`, for SVG. */
export function s(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) add(element, child);
    else if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

/** Replaces what an element holds, and keeps the focus where it was, by the element's id. */
export function show(element, ...children) {
  const focused = document.activeElement?.id;
  const scrolled = [...element.querySelectorAll("[data-scroll]")].map((one) => [
    one.dataset.scroll, one.scrollLeft, one.scrollTop,
  ]);
  element.replaceChildren();
  add(element, children);
  for (const [name, left, top] of scrolled) {
    const again = element.querySelector(`[data-scroll="${name}"]`);
    if (again) again.scrollTo(left, top);
  }
  if (focused && document.activeElement?.id !== focused) {
    document.getElementById(focused)?.focus({ preventScroll: true });
  }
}

/** Tells the user something in passing; screen readers say it. */
export function say(text) {
  const said = document.getElementById("said");
  said.replaceChildren(h("p", {}, text));
  clearTimeout(say.timer);
  say.timer = setTimeout(() => said.replaceChildren(), 6000);
}
