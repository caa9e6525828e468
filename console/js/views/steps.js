// A step of a run: what it was given, what it gave, how it failed, where it stands in the file.

import { at, get, orSay } from "../api.js";
import { h, show } from "../dom.js";
import { chip, facts, lasted, value, words } from "../format.js";

/** Returns what is known of a step; `log` is what `logs` has made for it. */
export function details(step, { workflow, log, close }) {
  const known = workflow?.steps?.find((one) => one.id === step.step_id);
  const line = step.line || known?.line;
  return h("section", { class: "card", "aria-labelledby": "step" },
    h("div", { class: "head" }, h("h2", { id: "step", class: "grow" }, known?.name || step.step_id), chip(step.status),
      h("button", { class: "plain", id: "close-step", click: close, "aria-label": "Close the step's details" }, "Close")),
    step.error && h("div", { class: "note bad" }, h("strong", {}, step.error.type), h("p", {}, step.error.message),
      Array.isArray(step.error.details) && step.error.details.length ? value("Details", step.error.details) : null),
    facts(
      ["Step", h("span", { class: "mono" }, step.step_id)],
      ["Kind", known && [known.kind, known.action && ` (${known.action})`]],
      ["Reason", step.reason && words(step.reason)],
      ["Tolerated", step.tolerated && "yes"],
      ["In doubt", step.in_doubt && "it may have had its effect"],
      ["Undone", step.undone && "yes"],
      ["Kept", step.kept && "from an earlier attempt"],
      ["Attempts", step.attempt > 1 && String(step.attempt)],
      ["Began", step.started_at], ["Took", step.started_at && lasted(step.started_at, step.completed_at)],
      ["Task", step.task_id && h("a", { href: `#/tasks/${encodeURIComponent(step.task_id)}` }, "Open the task")],
      ["Run", step.run && h("a", { href: `#/runs/${encodeURIComponent(step.run.run_id)}`, class: "mono" }, step.run.run_id)]),
    step.items && items(step.items),
    value("Inputs", step.inputs), value("Outputs", step.outputs),
    line && workflow?.source ? source(workflow, line) : line ? h("p", { class: "quiet small" }, `${workflow?.file || ""}:${line}`) : null,
    log);
}

function items(all) {
  return [h("h3", {}, `${all.length} items`), h("ul", { class: "small" }, all.slice(0, 100).map((one) => h("li", {},
    `${[one.index].flat().join(".")} `, chip(one.status), one.error && ` ${one.error.message}`,
    one.error?.run_id && [" ", h("a", { href: `#/runs/${encodeURIComponent(one.error.run_id)}` }, "Its run")])))];
}

function source(workflow, line) {
  const lines = workflow.source.split("\n");
  const from = Math.max(0, line - 4), to = Math.min(lines.length, line + 12);
  return [h("h3", {}, `${workflow.file}:${line}`),
    h("pre", { class: "source", tabindex: "0", "aria-label": `${workflow.file} around line ${line}` },
      lines.slice(from, to).map((text, at) => h("span", { class: from + at + 1 === line ? "here" : "" },
        `${String(from + at + 1).padStart(4)}  ${text}`)))];
}

/** Returns a place for the log of a step, fetched page by page when it is asked for. */
export function logs(run, step) {
  const box = h("div", {});
  let lines = [], next = null;
  const load = orSay(async () => {
    const page = await get(at("runs", run, "logs"), { step, cursor: next });
    lines = [...lines, ...page.items];
    next = page.next;
    show(box, h("h3", {}, "Log"), lines.length
      ? h("pre", { tabindex: "0", "aria-label": "Log" }, lines.map((one) => `${one.text}\n`).join(""))
      : h("p", { class: "quiet small" }, next ? "Nothing so far." : "It said nothing."),
    h("p", {}, h("button", { class: "plain", id: "log", click: next ? load : again }, next ? "Show more of its log" : "Read its log anew")));
  });
  const again = () => {
    lines = [];
    return load();
  };
  show(box, h("p", {}, h("button", { class: "plain", id: "log", click: load }, "Show its log")));
  return box;
}
