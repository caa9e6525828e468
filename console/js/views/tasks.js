// What waits for people: the inbox, and a task with its decision.

import { at, get, orSay, post, Refused } from "../api.js";
import { focusOn, h, say, show } from "../dom.js";
import { chip, facts, short, value, when, words } from "../format.js";
import { form } from "../form.js";

const MOST_EMPTY = 5;

export function tasks(place) {
  const { query } = place;
  const mine = query.mine !== "false", status = query.status || "open";

  let further = [], next = null;

  async function page(cursor) {
    const asked = { mine: mine ? "true" : "", status, overdue: query.overdue, workflow: query.workflow, limit: 100, cursor };
    let found = await get("/api/tasks", asked);
    // Where most tasks are others', a page may have none of mine, and one behind it may.
    for (let more = 0; !found.items.length && found.next && more < MOST_EMPTY; more += 1) {
      found = await get("/api/tasks", { ...asked, cursor: found.next });
    }
    return found;
  }

  async function refresh() {
    const found = await page(null);
    if (!further.length) next = found.next;
    const seen = new Set(found.items.map((one) => one.task_id));
    const items = [...found.items, ...further.filter((one) => !seen.has(one.task_id))];
    const more = orSay(async () => {
      const behind = await page(next);
      further = [...further, ...behind.items];
      next = behind.next;
      await place.again();
    });
    show(place.element, head(), h("div", { class: "card flush" }, items.length ? table(items)
      : h("p", { class: "empty" }, next ? "None of those looked at." : status === "open" ? "Nothing waits for you." : "No task is like that."),
    next ? h("div", { class: "more" }, h("button", { id: "more", click: more }, "Show more")) : null));
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
    h("tbody", {}, items.map((one) => h("tr", { id: `row-${one.task_id}` },
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
  let found = null, deciding = null, mine = null;

  async function refresh() {
    const before = found?.status;
    found = await get(at("tasks", id));
    if (before && before !== found.status && mine !== found.status) {
      say(`It is ${words(found.status)} now${found.decision?.decided_by ? `, by ${found.decision.decided_by}` : ""}.`);
    }
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
          open ? (found.may_decide === false ? notYours() : deciding ||= decision()) : ended()),
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
    const made = found.form ? form(found.form, "form") : null;
    const comment = h("textarea", { id: "comment", rows: 3, maxlength: 4000 });
    const problem = h("div", { class: "note bad", role: "alert", hidden: true });
    let isSending = false;
    const answer = (status) => async (event) => {
      event.preventDefault();
      if (isSending) return;
      isSending = true;
      try {
        const given = { status };
        if (comment.value.trim()) given.comments = comment.value;
        if (made && status === "approved") given.form = made.value();
        const { value: after } = await post(at("tasks", id, "status"), given);
        say(after.status === "pending" ? "Your answer counts; more are needed." : `It is ${words(after.status)}.`);
        problem.hidden = true;
        mine = after.status;
        await place.again();
        focusOn("decide");
      } catch (fault) {
        if (!(fault instanceof Refused)) throw fault;
        const form = fault.errors.map((one) => ({ ...one, pointer: one.pointer?.replace(/^\/form/, "") }));
        const left = made ? made.problems(form) : fault.errors;
        problem.hidden = !left.length && fault.errors.length > 0;
        problem.replaceChildren(h("strong", {}, fault.message), h("ul", {}, left.map((one) => h("li", {}, `${one.pointer || ""} ${one.detail}`))));
        if (fault.status === 409 || fault.status === 410) place.again();
      } finally {
        isSending = false;
      }
    };
    return h("form", { submit: (event) => event.preventDefault() }, h("h2", { id: "decide" }, "Your decision"), problem, made?.element,
      h("div", { class: "field" }, h("label", { for: "comment" }, "Comment", h("span", { class: "quiet" }, " (optional)")), comment),
      h("div", { class: "buttons" }, (found.answers || []).map((one) => {
        const [text, kind] = BUTTONS[one] || [words(one), ""];
        return h("button", { type: "button", id: `answer-${one}`, class: kind, click: answer(one) }, text);
      })));
  }

  return { get title() { return found?.title || "Task"; }, refresh, every: () => 3000 };
}
