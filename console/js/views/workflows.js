// The workflows of the stage.

import { get } from "../api.js";
import { h, show } from "../dom.js";
import { chip } from "../format.js";

export function workflows(place) {
  async function refresh() {
    const found = await get("/api/workflows", { limit: 200 });
    show(place.element, h("div", { class: "head" }, h("h1", { class: "grow" }, "Workflows")),
      h("div", { class: "card flush" }, found.items.length ? table(found.items)
        : h("p", { class: "empty" }, "There is no workflow yet. Write one into workflows/.")));
  }
  return { title: "Workflows", refresh, every: () => 10000 };
}

function table(items) {
  return h("table", { class: "stack" },
    h("thead", {}, h("tr", {}, ["Workflow", "Started by", "Steps", ""].map((one) => h("th", { scope: "col" }, one || h("span", { class: "quiet" }, "State"))))),
    h("tbody", {}, items.map((one) => {
      const name = one.version ? `${one.id}@${one.version}` : one.id;
      return h("tr", { id: `row-${name}` },
        h("td", {}, h("a", { href: `#/workflows/${encodeURIComponent(name)}` }, one.name || one.id), h("div", { class: "quiet small mono" }, name),
          one.description && h("div", { class: "small" }, one.description)),
        h("td", { "data-name": "Started by" }, one.triggers.length ? one.triggers.map((t) => t.type).join(", ") : h("span", { class: "quiet" }, "people")),
        h("td", { class: "num", "data-name": "Steps" }, String(one.steps)),
        h("td", {}, one.disabled ? chip("paused", "disabled") : chip("succeeded", "enabled")));
    })));
}
