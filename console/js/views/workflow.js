// A workflow: its drawing, its contract, and a form that starts it.

import { at, get, orSay, post, Refused } from "../api.js";
import { h, say, show } from "../dom.js";
import { chip, facts, value } from "../format.js";
import { form } from "../form.js";
import { drawing } from "../graph.js";

export function workflow(place, id) {
  let found = null, start = null, chosen = null;

  async function refresh() {
    found = await get(at("workflows", id));
    start ||= starting();
    draw();
  }

  function draw() {
    show(place.element,
      h("div", { class: "head" },
        h("div", { class: "grow" }, h("h1", {}, found.name || found.id, h("small", { class: "mono" }, found.version ? `${found.id}@${found.version}` : found.id))),
        found.disabled ? chip("paused", "disabled") : chip("succeeded", "enabled"),
        h("a", { class: "button", href: `#/runs?workflow=${encodeURIComponent(found.id)}` }, "Its runs"),
        h("button", { id: "switch", click: flip }, found.disabled ? "Enable" : "Disable")),
      found.description && h("p", { class: "note" }, found.description),
      h("section", { class: "card flush", "aria-label": "Drawing" }, drawing(found.graph, null, chosen, (step) => { chosen = chosen === step ? null : step; draw(); })),
      h("div", { class: "columns" },
        h("section", { class: "card", "aria-labelledby": "start" }, start),
        h("section", { class: "card", "aria-labelledby": "about" }, h("h2", { id: "about" }, chosen ? "This step" : "About it"),
          chosen ? step() : facts(["File", h("span", { class: "mono" }, found.file)],
            ["Triggers", found.triggers.map((one) => `${one.name} (${one.type})`).join(", ") || "none: people start it"],
            ["Steps", String(found.steps.length)]),
          !chosen && value("What it gives", found.outputs))));
  }

  function step() {
    const one = found.steps.find((other) => other.id === chosen) || { id: chosen };
    return facts(["Step", h("span", { class: "mono" }, one.id)], ["Name", one.name], ["Kind", one.kind], ["Action", one.action],
      ["Line", one.line && `${found.file}:${one.line}`], ["About", one.about]);
  }

  function starting() {
    const made = form(found.inputs, "input");
    const problem = h("div", { class: "note bad", role: "alert", hidden: true });
    const key = crypto.randomUUID?.() || String(Math.random());
    let again = 0;
    const button = h("button", { class: "yes", id: "run" }, "Start a run");
    const element = h("form", { submit: async (event) => {
      event.preventDefault();
      button.disabled = true;
      problem.hidden = true;
      try {
        // The same form sent twice (a double click, a lost answer) starts one run.
        const { value: begun, headers } = await post(at("workflows", id, "run"), made.value(),
          { "Idempotency-Key": `console-${key}-${again}`, Prefer: "respond-async" });
        again += 1;
        say("A run has begun.");
        const run = begun.run_id || headers.get("X-Run-Id");
        location.hash = `#/runs/${encodeURIComponent(run)}`;
      } catch (fault) {
        if (!(fault instanceof Refused)) throw fault;
        again += 1;
        const left = made.problems(fault.errors);
        problem.hidden = false;
        problem.replaceChildren(h("strong", {}, fault.message), h("ul", {}, left.map((one) => h("li", {}, `${one.pointer || ""} ${one.detail}`))));
      } finally {
        button.disabled = false;
      }
    } }, h("h2", { id: "start" }, "Start a run"), problem, made.element, h("div", { class: "buttons" }, button));
    element.noValidate = true;
    return element;
  }

  const flip = orSay(async () => {
    await post(at("workflows", found.id, found.disabled ? "enable" : "disable"), {});
    say(found.disabled ? "It is enabled." : "It is disabled: nothing starts it, and its events wait.");
    place.again();
  });

  return { get title() { return found?.name || id; }, refresh, every: () => 10000 };
}
