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
    if (typeof value === "function") listen(element, name, value);
    else if (name === "value" || name === "checked") give(element, name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) add(element, child);
    else if (child?.isConnected) element.append(stay(child));
    else if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

// What listens to an element, and what was put into its fields: a later drawing replaces both.
const LISTENERS = new WeakMap(), GIVEN = new WeakMap(), STAYING = new WeakMap();
const of = (map, element) => map.get(element) || map.set(element, {}).get(element);

function listen(element, name, listener) {
  const all = of(LISTENERS, element);
  if (!(name in all)) element.addEventListener(name, (event) => of(LISTENERS, element)[name]?.(event));
  all[name] = listener;
}

function give(element, name, value) {
  element[name] = value;
  of(GIVEN, element)[name] = value;
}

/** Returns a stand-in for an element that is shown already and is shown again as it is. */
function stay(element) {
  const standIn = document.createComment("");
  STAYING.set(standIn, element);
  return standIn;
}

/**
 * Has an element hold children. What is there already and is wanted again stays: it keeps the
 * focus, what is typed, selected and scrolled to; only what differs is changed. Elements are known
 * again by their ids, without one by their place; what can move, such as a row of a list, needs an id.
 */
export function show(element, ...children) {
  const wanted = document.createDocumentFragment();
  add(wanted, children);
  become(element, wanted);
}

function become(element, wanted) {
  let at = element.firstChild;
  for (const next of [...wanted.childNodes]) {
    const kept = STAYING.get(next), same = kept ? within(element, kept) : alike(at, next);
    if (!same) {
      element.insertBefore(kept || next, at);
      continue;
    }
    while (at !== same) at = removed(at);
    at = same.nextSibling;
    if (!kept) change(same, next);
  }
  while (at) at = removed(at);
}

const within = (element, kept) => (kept.parentNode === element ? kept : null);

function removed(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

/** Returns the node, from one on, that is what is wanted; null where there is none. */
function alike(from, wanted) {
  const is = (one) => one.nodeName === wanted.nodeName && (one.id || "") === (wanted.id || "");
  if (from && is(from)) return from;
  for (let one = from; one && wanted.nodeType === Node.ELEMENT_NODE; one = one.nextSibling) {
    if (is(one) && (wanted.id || one.getAttribute("class") === wanted.getAttribute("class"))) return one;
  }
  return null;
}

function change(node, wanted) {
  if (node.nodeType !== Node.ELEMENT_NODE) {
    if (node.data !== wanted.data) node.data = wanted.data;
    return;
  }
  const names = (one) => one.getAttributeNames().filter((name) => name !== "style"); // see the policy
  for (const name of names(node)) if (!wanted.hasAttribute(name)) node.removeAttribute(name);
  for (const name of names(wanted)) {
    if (node.getAttribute(name) !== wanted.getAttribute(name)) node.setAttribute(name, wanted.getAttribute(name));
  }
  if (node.style.cssText !== wanted.style.cssText) node.style.cssText = wanted.style.cssText;
  const listeners = of(LISTENERS, wanted), before = of(LISTENERS, node);
  for (const name of Object.keys(before)) if (!listeners[name]) before[name] = null;
  for (const [name, listener] of Object.entries(listeners)) listen(node, name, listener);
  for (const [name, value] of Object.entries(of(GIVEN, wanted))) {
    if (of(GIVEN, node)[name] !== value) give(node, name, value);
  }
  become(node, wanted);
}

/** Puts the focus on what is shown in the place of what had it: a heading, for those who cannot see. */
export function focusOn(id) {
  const element = document.getElementById(id);
  if (element && element.tabIndex < 0) element.setAttribute("tabindex", "-1");
  element?.focus();
}

/** Tells the user something in passing; screen readers say it. */
export function say(text) {
  tell(text);
  say.timer = setTimeout(() => tell(""), 6000);
}

/** Tells of something for as long as it is so, once; `trouble(null)` is that it is over. */
export function trouble(text) {
  if ((trouble.told || null) === text) return;
  trouble.told = text;
  if (text) tell(text); else say("It works again.");
}

function tell(text) {
  clearTimeout(say.timer);
  const told = text || trouble.told;
  document.getElementById("said").replaceChildren(...(told ? [h("p", {}, told)] : []));
}
