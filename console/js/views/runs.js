// The list of runs: filtered, searched by the beginning of an id, page by page.

import { get, orSay } from "../api.js";
import { h, show } from "../dom.js";
import { chip, lasted, short, when } from "../format.js";

const STATUSES = ["running", "paused", "succeeded", "failed", "cancelled"];

export function runs(place) {
  const { query } = place;
  let further = [], next = null, names = [];

  async function refresh() {
    const asked = { workflow: query.workflow, status: query.status, starter: query.starter, q: query.q, limit: 50 };
    const [found, known] = await Promise.all([
      get("/api/runs", asked), names.length ? null : get("/api/workflows", { limit: 200 }).catch(() => null),
    ]);
    if (known) names = [...new Set(known.items.map((one) => one.id))];
    if (!further.length) next = found.next;
    const seen = new Set(found.items.map((one) => one.run_id));
    const more = orSay(async () => {
      const page = await get("/api/runs", { ...asked, cursor: next });
      further = [...further, ...page.items];
      next = page.next;
      draw([...found.items, ...further]);
    });
    draw([...found.items, ...further.filter((one) => !seen.has(one.run_id))]);

    function draw(items) {
      show(place.element, head(), h("div", { class: "card flush" },
        items.length ? table(items) : h("p", { class: "empty" }, filtered() ? "No run is like that." : "Nothing has run yet. Start a workflow, or wait for an event."),
        next ? h("div", { class: "more" }, h("button", { id: "more", click: more }, "Show more")) : null));
    }
  }

  const filtered = () => query.workflow || query.status || query.starter || query.q;
  const change = (name) => (event) => place.go(kept({ ...query, [name]: event.target.value }));
  const kept = (all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value));

  function head() {
    const options = (all, chosen, any) => [h("option", { value: "" }, any), all.map((one) => h("option", { value: one, selected: one === chosen }, one))];
    return h("div", { class: "head" }, h("h1", { class: "grow" }, "Runs"),
      h("form", { class: "filters", role: "search", submit: (event) => {
        event.preventDefault();
        place.go(kept({ ...query, q: event.target.elements.q.value.trim(), starter: event.target.elements.starter.value.trim() }));
      } },
      h("div", {}, h("label", { for: "workflow" }, "Workflow"), h("select", { id: "workflow", change: change("workflow") }, options(names, query.workflow, "all"))),
      h("div", {}, h("label", { for: "status" }, "Status"), h("select", { id: "status", change: change("status") }, options(STATUSES, query.status, "any"))),
      h("div", {}, h("label", { for: "starter" }, "Started by"), h("input", { id: "starter", name: "starter", value: query.starter || "", size: 14, autocomplete: "off" })),
      h("div", {}, h("label", { for: "q" }, "Id begins with"), h("input", { id: "q", name: "q", value: query.q || "", type: "search", size: 14 })),
      h("button", {}, "Search")));
  }

  return { title: "Runs", refresh, every: () => 3000 };
}

function table(items) {
  return h("table", { class: "stack" },
    h("thead", {}, h("tr", {}, ["Run", "Status", "Started", "Took", "By"].map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, items.map((one) => h("tr", { id: `row-${one.run_id}` },
      h("td", {}, h("a", { href: `#/runs/${encodeURIComponent(one.run_id)}`, class: "mono", title: one.run_id }, short(one.run_id)),
        h("div", { class: "quiet small" }, one.workflow_id, one.workflow_version && ` @${one.workflow_version}`, one.run_attempt > 1 && ` · attempt ${one.run_attempt}`),
        one.error && h("div", { class: "problem" }, String(one.error).slice(0, 200))),
      h("td", {}, chip(one.status)),
      h("td", { class: "num", "data-name": "Started" }, when(one.started_at)),
      h("td", { class: "num", "data-name": "Took" }, lasted(one.started_at, one.completed_at)),
      h("td", { "data-name": "By" }, one.started_by || triggered(one.trigger))))));
}

const triggered = (trigger) => (trigger ? h("span", { class: "quiet" }, `${trigger.name || trigger.type}`) : h("span", { class: "quiet" }, "–"));
