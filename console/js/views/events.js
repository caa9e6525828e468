// What arrived, and what became of it.

import { at, get, orSay, post } from "../api.js";
import { focusOn, h, say, show } from "../dom.js";
import { chip, facts, json, short, value, when } from "../format.js";

const OUTCOMES = ["started", "ignored", "rejected", "failed", "waiting", "dead"];

export function events(place) {
  const { query } = place;
  let chosen = query.id || null, whole = null, further = [], next = null;

  async function refresh() {
    const asked = { outcome: query.outcome, workflow: query.workflow, duplicates: query.duplicates, dead: query.dead, limit: 50 };
    const [found, one] = await Promise.all([
      get("/api/events", asked),
      chosen && whole?.event_id !== chosen ? get(at("events", chosen)).catch(() => null) : whole,
    ]);
    whole = one;
    if (!further.length) next = found.next;
    const items = [...found.items, ...further];
    const more = orSay(async () => {
      const page = await get("/api/events", { ...asked, cursor: next });
      further = [...further, ...page.items];
      next = page.next;
      place.again();
    });
    show(place.element, head(), whole && details(), h("div", { class: "card flush" },
      items.length ? table(items) : h("p", { class: "empty" }, "No event is like that."),
      next ? h("div", { class: "more" }, h("button", { id: "more", click: more }, "Show more")) : null));
  }

  function head() {
    const tab = (text, asked, is) => h("a", { class: "button", href: `#/events?${new URLSearchParams(asked)}`, "aria-current": is ? "true" : false }, text);
    return h("div", { class: "head" }, h("h1", { class: "grow" }, "Events"),
      tab("All", {}, !query.outcome && !query.duplicates && !query.dead),
      tab("Came twice", { duplicates: "true" }, query.duplicates),
      OUTCOMES.map((one) => tab(one[0].toUpperCase() + one.slice(1), { outcome: one }, query.outcome === one)));
  }

  function details() {
    return h("section", { class: "card", "aria-labelledby": "event" },
      h("div", { class: "head" }, h("h2", { id: "event", class: "grow" }, "Event"), chip(whole.outcome),
        h("button", { id: "replay", click: replay }, "Replay"),
        h("button", { class: "plain", id: "close", click: close }, "Close")),
      facts(["Id", h("span", { class: "mono" }, whole.event_id)], ["Key", whole.key && h("span", { class: "mono" }, whole.key)],
        ["Workflow", whole.workflow_id], ["Trigger", `${whole.trigger || ""} (${whole.type || ""})`],
        ["Arrived", whole.received_at], ["Deliveries", String(whole.deliveries)],
        ["Run", whole.run_id && h("a", { href: `#/runs/${encodeURIComponent(whole.run_id)}`, class: "mono" }, whole.run_id)],
        ["Replay of", whole.replay_of && h("span", { class: "mono" }, whole.replay_of)], ["Error", whole.error && json(whole.error)]),
      whole.problems?.length ? [h("h3", {}, "What is wrong with it"), h("ul", {}, whole.problems.map((one) => h("li", {}, `${one.pointer || ""} ${one.detail || json(one)}`)))] : null,
      value("What arrived", whole.event));
  }

  async function open(id) {
    chosen = id;
    await place.again();
    focusOn("event");
  }

  async function close() {
    const was = chosen;
    chosen = whole = null;
    await place.again();
    focusOn(`event-${was}`);
  }

  const replay = orSay(async () => {
    const { value: done } = await post(at("events", whole.event_id, "replay"), {});
    say("It is taken in again.");
    if (done.run_id) location.hash = `#/runs/${encodeURIComponent(done.run_id)}`;
    else place.again();
  });

  function table(items) {
    return h("table", { class: "stack" },
      h("thead", {}, h("tr", {}, ["Event", "Outcome", "Arrived", "Deliveries", "Run"].map((one) => h("th", { scope: "col" }, one)))),
      h("tbody", {}, items.map((one) => h("tr", { id: `row-${one.event_id}` },
        h("td", {}, h("button", { class: "plain mono", id: `event-${one.event_id}`, click: () => open(one.event_id) }, short(one.event_id)),
          h("div", { class: "quiet small" }, `${one.workflow_id} · ${one.trigger || one.type}`)),
        h("td", {}, chip(one.outcome)),
        h("td", { class: "num", "data-name": "Arrived" }, when(one.received_at)),
        h("td", { class: "num", "data-name": "Deliveries" }, String(one.deliveries)),
        h("td", {}, one.run_id ? h("a", { href: `#/runs/${encodeURIComponent(one.run_id)}`, class: "mono" }, short(one.run_id)) : h("span", { class: "quiet" }, "–"))))));
  }

  return { title: "Events", refresh, every: () => 3000 };
}
