// When each step ran: one lane a step, from the run's start to its end (or now).

import { h } from "./dom.js";
import { lasted, tone, words } from "./format.js";

export function timeline(run, choose) {
  const steps = run.steps.filter((step) => step.started_at);
  if (!steps.length) return h("p", { class: "quiet" }, "Nothing has begun yet.");
  const start = +new Date(run.started_at);
  const end = Math.max(...steps.map((step) => +new Date(step.completed_at || 0)), run.completed_at ? 0 : Date.now(), +new Date(run.completed_at || 0), start + 1);
  const part = (stamp) => `${(100 * (+new Date(stamp) - start)) / (end - start)}%`;
  const rows = steps.flatMap((step) => {
    const span = h("div", { class: `span ${tone(step.status)}` });
    span.style.left = part(step.started_at);
    span.style.right = step.completed_at ? `calc(100% - ${part(step.completed_at)})` : "0";
    const told = `${step.step_id}: ${words(step.status)}, ${lasted(step.started_at, step.completed_at)}`;
    return [
      h("button", { class: "plain name", id: `lane-${step.step_id}`, title: told, click: () => choose(step.step_id) }, step.step_id),
      h("div", { class: "lane", title: told }, span),
    ];
  });
  return h("div", { class: "timeline" }, rows);
}
