// One run: its drawing coloured by status, its steps, when they ran, and what can be done about it.

import { at, get, orSay, post } from "../api.js";
import { focusOn, h, say, show } from "../dom.js";
import { chip, facts, lasted, short, value, when, words } from "../format.js";
import { drawing } from "../graph.js";
import { timeline } from "../timeline.js";
import { resume } from "./resume.js";
import { details, logs } from "./steps.js";

const OVER = ["succeeded", "failed", "cancelled"];

export function run(place, id) {
  let record = null, workflow = null, chosen = place.query.step || null, asking = null, log = null;

  async function refresh() {
    const before = record?.status;
    record = await get(at("runs", id));
    if (before && before !== record.status) say(`The run is ${words(record.status)} now.`);
    if (!workflow || workflow.digest !== (record.manifest || workflow.digest)) {
      const name = record.workflow_version ? `${record.workflow_id}@${record.workflow_version}` : record.workflow_id;
      workflow = await get(at("workflows", name), { digest: record.manifest }).catch(() => ({ digest: record.manifest }));
    }
    draw();
  }

  function choose(step) {
    log = null;
    chosen = chosen === step ? null : step;
    history.replaceState(null, "", `#/runs/${encodeURIComponent(id)}${chosen ? `?step=${encodeURIComponent(chosen)}` : ""}`);
    draw();
  }

  function closeStep() {
    const was = chosen;
    choose(was);
    document.getElementById(`card-${was}`)?.focus();
  }

  function draw() {
    const all = every(record.steps);
    const step = chosen && (all.find((one) => one.step_id === chosen) || { step_id: chosen, status: "pending" });
    if (step) log ||= logs(id, step.step_id);
    show(place.element,
      head(), asking, trouble(),
      h("section", { class: "card flush", id: "drawing", "aria-label": "Drawing" },
        drawing(workflow?.graph, Object.fromEntries(all.map((one) => [one.step_id, one])), chosen, choose)),
      h("div", { class: "columns" },
        h("section", { class: "card", "aria-labelledby": "when" }, h("h2", { id: "when" }, "When"), timeline(record, choose), skipped(all)),
        step ? details(step, { workflow, log, close: closeStep }) : about()),
      closing());
  }

  function head() {
    const over = OVER.includes(record.status);
    return h("div", { class: "head" },
      h("div", { class: "grow" }, h("h1", { id: "run-title" }, short(record.run_id), h("small", {},
        h("a", { href: `#/workflows/${encodeURIComponent(record.workflow_id)}` }, record.workflow_id),
        record.workflow_version && ` @${record.workflow_version}`, " · ", when(record.started_at), " · ",
        lasted(record.started_at, record.completed_at), record.run_attempt > 1 && ` · attempt ${record.run_attempt}`))),
      chip(record.status, nothing(record) ? "nothing to do" : undefined),
      over ? (record.status === "succeeded" ? null : h("button", { id: "resume", click: plan }, "Resume…"))
        : h("button", { id: "cancel", class: "no", click: cancel }, "Cancel…"));
  }

  function trouble() {
    if (!record.error) return null;
    const failed = Array.isArray(record.error.details) ? record.error.details : [];
    return h("div", { class: "note bad", role: "region", "aria-label": "What failed" },
      h("strong", {}, record.error.message),
      failed.length ? h("ul", {}, failed.map((one) => h("li", {},
        h("a", { href: "#", click: (event) => { event.preventDefault(); if (chosen !== one.step_id) choose(one.step_id); } }, one.step_id),
        ` ${words(one.status || "failed")}: ${one.type || ""} ${one.message || ""}`,
        one.run_id && [" ", h("a", { href: `#/runs/${encodeURIComponent(one.run_id)}` }, "Its run")]))) : null);
  }

  function about() {
    return h("section", { class: "card", "aria-labelledby": "about" }, h("h2", { id: "about" }, "This run"),
      facts(
        ["Run", h("span", { class: "mono" }, record.run_id)],
        ["Started by", record.started_by || "–"],
        ["Trigger", record.trigger && `${record.trigger.name || ""} (${record.trigger.type || "event"})`],
        ["Event", record.event_id && h("a", { href: `#/events?id=${encodeURIComponent(record.event_id)}`, class: "mono" }, short(record.event_id))],
        ["Again of", record.rerun_of && h("a", { href: `#/runs/${encodeURIComponent(record.rerun_of)}`, class: "mono" }, short(record.rerun_of))],
        ["Began", record.started_at], ["Ended", record.completed_at],
        ["Log", record.links?.log && h("a", { href: record.links.log, rel: "noreferrer" }, record.links.log.startsWith("http") ? "in CloudWatch" : "all of it")]),
      value("Inputs", record.inputs), value("Outputs", record.outputs));
  }

  function closing() {
    const after = record.closing;
    if (!after) return null;
    return h("section", { class: "card", "aria-labelledby": "after" }, h("h2", { id: "after" }, "After the failure"),
      after.compensation && h("p", {}, chip(after.compensation === "complete" ? "succeeded" : "failed", `undone: ${after.compensation}`)),
      after.undone?.length ? h("ul", {}, after.undone.map((one) => h("li", {}, `${one.step || one.step_id || ""}${(one.items || []).map((at) => `[${at}]`).join("")} ${words(one.status)}`, one.error && `: ${one.error.message || ""}`))) : null,
      after.handlers?.length ? h("ul", {}, after.handlers.map((one) => h("li", {}, one.step_id, " ", chip(one.status), one.error && ` ${one.error.message}`))) : null);
  }

  function skipped(all) {
    const left = all.filter((one) => one.status === "skipped" || (one.status === "pending" && OVER.includes(record.status)));
    if (!left.length) return null;
    return [h("h3", {}, "Not carried out"), h("ul", { class: "small" }, left.map((one) => h("li", {},
      h("button", { class: "plain", id: `skip-${one.step_id}`, click: () => choose(one.step_id) }, one.step_id), one.reason && ` ${words(one.reason)}`)))];
  }

  function cancel() {
    const undo = h("input", { type: "checkbox", id: "compensate" });
    const stop = orSay(async () => {
      await post(at("runs", id, "cancel"), { compensate: undo.checked });
      say("The run is being cancelled.");
    });
    asking = h("form", { class: "card", id: "cancelling", "aria-label": "Cancel the run", submit: async (event) => {
      event.preventDefault();
      await stop();
      done();
    } },
    h("h2", {}, "Cancel this run?"), h("p", {}, "It stops at once; open tasks are closed."),
    h("label", { class: "option" }, undo, "Undo what it has done (steps with `compensate`)"),
    h("div", { class: "buttons" }, h("button", { class: "no" }, "Cancel the run"), h("button", { type: "button", click: close }, "Leave it")));
    draw();
    undo.focus();
  }

  async function plan() {
    asking = await resume(record, close, done);
    draw();
    asking?.querySelector("h2")?.focus();
  }

  async function done() {
    asking = null;
    await place.again();
    focusOn("run-title");
  }

  function close() {
    asking = null;
    draw();
    document.getElementById(OVER.includes(record.status) ? "resume" : "cancel")?.focus();
  }

  return { title: short(id), refresh, every: () => (asking ? null : record && OVER.includes(record.status) ? 10000 : 1000) };
}

const every = (steps) => steps.flatMap((one) => [one, ...(one.steps ? every(one.steps) : [])]);
const nothing = (record) => record.status === "succeeded" && record.steps.length > 0 && record.steps.every((one) => one.status === "skipped");
