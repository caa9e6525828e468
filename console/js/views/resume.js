// What a resume would do, shown before it is done.

import { at, post, Refused } from "../api.js";
import { h, say } from "../dom.js";

/** Returns the form that shows the plan and carries it out; null where there is none to be had. */
export async function resume(record, close, done) {
  let plan;
  try {
    plan = (await post(at("runs", record.run_id, "resume"), { dry_run: true })).value;
  } catch (fault) {
    if (!(fault instanceof Refused)) throw fault;
    if (!fault.problem.plan) {
      say(fault.message);
      return null;
    }
    plan = fault.problem.plan; // what is in the way can be decided here
  }
  const choices = (plan.refused || []).map((one) => ({ ...one, pick: choice(one) }));
  const form = h("form", { class: "card", id: "resuming", "aria-label": "Resume the run", submit: async (event) => {
    event.preventDefault();
    const redo = choices.filter((one) => one.pick?.value === "redo").map((one) => one.step_id);
    const given = choices.filter((one) => one.pick?.value === "done").map((one) => one.step_id);
    try {
      await post(at("runs", record.run_id, "resume"), { redo, done: given });
      say(`Attempt ${plan.run_attempt} has begun.`);
      done();
    } catch (fault) {
      if (!(fault instanceof Refused)) throw fault;
      problem.hidden = false;
      problem.textContent = fault.message;
    }
  } });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  form.append(
    h("h2", { tabindex: "-1" }, `Resume as attempt ${plan.run_attempt}?`),
    list("These run again", plan.again, (one) => `${one.step_id}: ${one.why}`),
    list("These run again if what they are given has changed", plan.perhaps, (one) => `${one.step_id}: ${one.why}`),
    list("These follow", plan.following, (one) => one),
    list("These are no longer in the workflow", plan.removed, (one) => one),
    list("These keep their results", plan.kept, (one) => (typeof one === "string" ? one : one.step_id)),
    choices.length ? h("div", { class: "note late" }, h("strong", {}, "Before it can go on"),
      choices.map((one) => h("div", {}, h("p", {}, `${one.step_id}: ${one.why}`), one.pick?.element))) : "",
    problem,
    h("div", { class: "buttons" }, h("button", { class: "yes" }, "Resume"), h("button", { type: "button", click: close }, "Leave it")));
  return form;
}

function list(title, items, told) {
  if (!items?.length) return "";
  return h("div", {}, h("h3", {}, title), h("ul", { class: "small" }, items.map((one) => h("li", {}, told(one)))));
}

function choice(one) {
  const id = `in-doubt-${one.step_id}`;
  const element = h("select", { id },
    h("option", { value: "" }, "Not decided"),
    h("option", { value: "redo" }, "Do it again"),
    h("option", { value: "done" }, "It was done"));
  return { element: h("label", { for: id }, "What happened? ", element), get value() { return element.value; } };
}
