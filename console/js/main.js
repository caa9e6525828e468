// Chooses the view by the address's hash, and keeps it fresh.

import { get, Refused } from "./api.js";
import { h, show, trouble } from "./dom.js";
import { begin, isLocal, leave, logOut, person, stage } from "./login.js";
import { events } from "./views/events.js";
import { run } from "./views/run.js";
import { runs } from "./views/runs.js";
import { task, tasks } from "./views/tasks.js";
import { workflow } from "./views/workflow.js";
import { workflows } from "./views/workflows.js";

const VIEWS = [
  [/^runs$/, runs], [/^runs\/([^/]+)$/, run], [/^tasks$/, tasks], [/^tasks\/([^/]+)$/, task],
  [/^workflows$/, workflows], [/^workflows\/([^/]+)$/, workflow], [/^events$/, events],
];
const main = document.getElementById("main");
let leaving = () => {};
let shown = null, drawn = null;

/**
 * A view gets a place with `element`, `query` and `go(query)`, and gives `{title, refresh, every,
 * gone}`: `refresh` fetches and draws, again after every `every()` milliseconds (null: not again).
 */
async function open() {
  const [path, search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const query = Object.fromEntries(new URLSearchParams(search));
  for (const [pattern, view] of VIEWS) {
    const found = pattern.exec(path);
    if (found) return enter(view, path, found.slice(1).map(decoded), query);
  }
  location.replace("#/runs");
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // cut off where it was copied; the API says that there is no such thing
  }
}

async function enter(view, path, names, query) {
  leaving();
  // Asked for otherwise, a view stays until its answer is there, with the focus where it is.
  const element = shown === path ? drawn : h("div", {}, h("p", { class: "empty waits", role: "status" }, "Loading …"));
  let left = false, timer = 0;
  const place = {
    element, query,
    go: (next) => { location.hash = `#/${path}?${new URLSearchParams(next)}`; },
    again: () => tick(),
  };
  const made = view(place, ...names);
  leaving = () => { left = true; clearTimeout(timer); place.element = h("div", {}); made.gone?.(); };
  name();
  for (const link of document.querySelectorAll(".bar nav a")) {
    const is = path.startsWith(link.hash.replace("#/", ""));
    if (is) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  if (element !== drawn) main.replaceChildren(element);
  // Where one view follows another, readers are taken to it; a first one is where they are.
  if (shown !== null && shown !== path) main.focus();
  shown = path;
  drawn = element;

  function name() {
    document.title = `${made.title} · Stepsmith`;
  }

  async function tick() {
    clearTimeout(timer);
    try {
      if (!document.hidden || !element.dataset.drawn) {
        await made.refresh();
        trouble(null);
        element.dataset.drawn = "yes";
      }
    } catch (fault) {
      if (!(fault instanceof Refused)) throw fault;
      if (left) return;
      if (!element.dataset.drawn) show(element, failure(fault)); else trouble(fault.message);
    }
    if (left) return;
    name();
    const next = made.every?.();
    if (next) timer = setTimeout(tick, next);
  }
  await tick();
}

function failure(fault) {
  const gone = fault.status === 404;
  return h("div", { class: "card empty" },
    h("h1", {}, gone ? "Not here" : "That did not work"),
    h("p", {}, gone ? "There is nothing here by that name, or it is not yours to see." : fault.message));
}

function who() {
  const element = document.getElementById("who");
  const name = person();
  if (isLocal()) show(element, h("a", { href: "/dev/login" }, "Local stage · change person"));
  else if (name) show(element, `${name} · ${stage()} `, h("button", { class: "plain", click: logOut }, "Log out"));
  else show(element, stage());
}

/** Says that the login is over, and leaves it to the person when to go: something may be typed. */
addEventListener("stepsmith:expired", () => {
  if (document.getElementById("expired")) return;
  main.before(h("div", { class: "note late over", id: "expired", role: "alert" }, "Your login is over. Keep a copy of what you have typed: the page begins anew. ",
    h("button", { click: leave }, "Log in again")));
});

async function count() {
  try {
    const found = await get("/api/tasks", { mine: "true", status: "open", limit: 100 });
    const badge = document.getElementById("open-tasks");
    badge.textContent = found.next ? "99+" : String(found.items.length);
    badge.hidden = !found.items.length;
    badge.setAttribute("aria-label", `${found.items.length} open`);
  } catch { /* the view itself says what is wrong */ }
  setTimeout(count, 5000);
}

if (await begin()) {
  who();
  addEventListener("hashchange", open);
  open();
  count();
}
