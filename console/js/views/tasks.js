// What waits for people: the inbox, and a task with its decision.

import { at, get, post, Refused } from "../api.js";
import { h, say, show } from "../dom.js";
import { chip, facts, short, value, when, words } from "../format.js";
import { form } from "../form.js";

export function tasks(place) {
  const { query } = place;
  const mine = query.mine !== "false", status = query.status || "open";

  async function refresh() {
    const found = await get("/api/tasks", { mine: mine ? "true" : "", status, overdue: query.overdue, workflow: query.workflow, limit: 100 });
    show(place.element, head(), h("div", { class: "card flush" }, found.items.length ? table(found.items)
      : h("p", { class: "empty" }, status === "open" ? "Nothing waits for you." : "No task is like that.")));
  }

  function head() {
    const tab = (text, next, is) => h("a", { class: "button", href: `#/tasks?${new URLSearchParams(next)}`, "aria-current": is ? "true" : false }, text);
    return h("div", { class: "head" }, h("h1", { class: "grow" }, "Tasks"),
      tab("Mine, open", {}, mine && status === "open"), tab("All I may see", { mine: "false" }, !mine && status === "open"),
      tab("Closed", { mine: "false", status: "closed" }, status === "closed"));
  }

  return { title: "Tasks", refresh, every: () => 3000 };
}

const state = (one) => (one.overdue ? chip("overdue", "overdue") : chip(one.status));

function table(items) {
  return h("table", { class: "stack" },
    h("thead", {}, h("tr", {}, ["Task", "State", "Due", "Asked", "Opened"].map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, items.map((one) => h("tr", {},
      h("td", {}, h("a", { href: `#/tasks/${encodeURIComponent(one.task_id)}` }, one.title || one.step_id),
        h("div", { class: "quiet small" }, `${one.workflow_id} · ${one.step_id}`)),
      h("td", {}, state(one)),
      h("td", { class: "num", "data-name": "Due" }, when(one.due_at || one.expires_at)),
      h("td", { "data-name": "Asked" }, (one.assignees || []).join(", ")),
      h("td", { class: "num", "data-name": "Opened" }, when(one.opened_at))))));
}

const BUTTONS = {
  approved: ["Approve", "yes"], rejected: ["Reject", "no"],
  retry: ["Try again", "yes"], skip: ["Skip the step", ""], fail: ["Let it fail", "no"],
};

export function task(place, id) {
  let found = null, made = null, version = "";

  async function refresh() {
    found = await get(at("tasks", id));
    const now = JSON.stringify([found.status, found.votes, found.assignees]);
    if (now === version) return; // nothing changed: what is being typed stays
    version = now;
    draw();
  }

  function draw() {
    const open = found.status === "pending";
    show(place.element,
      h("div", { class: "head" }, h("div", { class: "grow" }, h("h1", {}, found.title || found.step_id, h("small", {},
        h("a", { href: `#/runs/${encodeURIComponent(found.run_id)}` }, short(found.run_id)), ` · ${found.workflow_id} · ${found.step_id}`))), state(found)),
      h("div", { class: "columns" },
        h("section", { class: "card", "aria-labelledby": "decide" },
          found.description && h("p", { class: "text" }, found.description),
          found.subject && value("What it is about", found.subject),
          open ? (found.may_decide === false ? notYours() : decision()) : ended()),
        h("section", { class: "card", "aria-labelledby": "facts" }, h("h2", { id: "facts" }, "About it"),
          facts(["Asked", (found.assignees || []).join(", ")], ["Started by", found.started_by || "unknown"],
            ["Due", found.due_at && when(found.due_at)], ["Comes to an end", open && when(found.expires_at)],
            ["Needs", found.quorum > 1 && `${found.quorum} approvals`], ["Opened", when(found.opened_at)]),
          found.votes?.length ? [h("h3", {}, "Answers so far"), h("ul", { class: "small" }, found.votes.map((one) => h("li", {}, `${one.by} ${words(one.status)}`, one.comments && h("blockquote", {}, one.comments))))] : null,
          found.history?.length ? [h("h3", {}, "What happened"), h("ul", { class: "small" }, found.history.map((one) => h("li", {},
            when(one.at), ` ${words(one.what)}`, one.by && ` by ${one.by}`, one.via && one.via !== "system" && ` (${one.via})`, one.detail && `: ${one.detail}`)))] : null)));
  }

  function notYours() {
    return [h("h2", { id: "decide" }, "Not yours to decide"), h("p", { class: "quiet" },
      "It is decided by those who were asked; whoever started the run is none of them, unless the step says so.")];
  }

  function ended() {
    const end = found.decision;
    return [h("h2", { id: "decide" }, words(found.status)),
      end && h("p", {}, end.decided_by ? `${end.decided_by}, ` : "", when(end.decided_at)),
      end?.comments && h("blockquote", {}, end.comments), end?.timeout_reason && h("p", {}, end.timeout_reason),
      end?.form && value("Form", end.form)];
  }

  function decision() {
    made = found.form ? form(found.form, "form") : null;
    const comment = h("textarea", { id: "comment", rows: 3, maxlength: 4000 });
    const problem = h("div", { class: "note bad", role: "alert", hidden: true });
    const answer = (status) => async (event) => {
      event.preventDefault();
      try {
        const given = { status };
        if (comment.value.trim()) given.comments = comment.value;
        if (made && status === "approved") given.form = made.value();
        const { value: after } = await post(at("tasks", id, "status"), given);
        say(after.status === "pending" ? "Your answer counts; more are needed." : `It is ${words(after.status)}.`);
        version = "";
        place.again();
      } catch (fault) {
        if (!(fault instanceof Refused)) throw fault;
        const form = fault.errors.map((one) => ({ ...one, pointer: one.pointer?.replace(/^\/form/, "") }));
        const left = made ? made.problems(form) : fault.errors;
        problem.hidden = !left.length && fault.errors.length > 0;
        problem.replaceChildren(h("strong", {}, fault.message), h("ul", {}, left.map((one) => h("li", {}, `${one.pointer || ""} ${one.detail}`))));
        if (fault.status === 409 || fault.status === 410) { version = ""; place.again(); }
      }
    };
    return h("form", { submit: (event) => event.preventDefault() }, h("h2", { id: "decide" }, "Your decision"), problem, made?.element,
      h("div", { class: "field" }, h("label", { for: "comment" }, "Comment", h("span", { class: "quiet" }, " (optional)")), comment),
      h("div", { class: "buttons" }, (found.answers || []).map((one) => {
        const [text, kind] = BUTTONS[one] || [words(one), ""];
        return h("button", { type: "button", id: `answer-${one}`, class: kind, click: answer(one) }, text);
      })));
  }

  return { title: "Task", refresh, every: () => 3000 };
}
