// A form from a JSON Schema, and the value that is in it. What the browser cannot check, the API
// does: its problems are shown at their fields.

import { h } from "./dom.js";

const TYPES = { email: "email", date: "date", uri: "url", time: "time" };
const LONG = 200;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * Returns `{element, value(), problems(errors)}` for a schema of an object; null for one that no
 * form can be made of, which takes JSON text instead. `errors` are `{pointer, detail}`; those that
 * belong to no field are given back.
 */
export function form(schema, prefix) {
  const fields = Object.entries(schema?.properties || {});
  if (!fields.length && schema && schema.additionalProperties !== false) return text(prefix);
  const made = fields.map(([name, one]) => field(`${prefix}-${encodeURIComponent(name)}`, name, one, (schema.required || []).includes(name)));
  return {
    element: h("div", {}, made.length ? made.map((one) => one.element) : h("p", { class: "quiet" }, "It takes no inputs.")),
    value() {
      const found = {};
      for (const one of made) {
        const value = one.value();
        if (value !== undefined) found[one.name] = value;
      }
      return found;
    },
    problems(errors) {
      for (const one of made) one.problem(null);
      const left = [];
      let first = null;
      for (const error of errors) {
        const name = decode((error.pointer || "").split("/")[1] || "");
        const one = made.find((other) => other.name === name);
        if (one) one.problem(error.detail); else left.push(error);
        first ||= one;
      }
      first?.focus();
      return left;
    },
  };
}

const decode = (part) => part.replaceAll("~1", "/").replaceAll("~0", "~");

function field(id, name, schema, required) {
  const kind = Array.isArray(schema.type) ? schema.type.find((one) => one !== "null") : schema.type;
  const control = controls(id, kind, schema, required);
  const problem = h("p", { class: "problem", id: `${id}-problem`, hidden: true });
  const label = schema.title || name;
  const about = [schema.description, control.how].filter(Boolean).join(" ");
  const hint = about ? h("p", { class: "hint", id: `${id}-hint` }, about) : null;
  const said = h("span", { class: "quiet" }, required ? "" : " (optional)");
  for (const one of control.all) one.setAttribute("aria-describedby", `${hint ? `${id}-hint ` : ""}${id}-problem`);
  const element = control.group
    ? h("fieldset", { class: "field" }, h("legend", {}, label, said), hint, problem, control.element)
    : kind === "boolean"
      ? h("div", { class: "field" }, h("label", { class: "option" }, control.element, label), hint, problem)
      : h("div", { class: "field" }, h("label", { for: id }, label, said), hint, problem, control.element);
  return {
    name, element, value: control.value, focus: () => control.all[0].focus(),
    problem(told) {
      problem.hidden = !told;
      problem.textContent = told || "";
      for (const one of control.all) {
        if (told) one.setAttribute("aria-invalid", "true"); else one.removeAttribute("aria-invalid");
      }
    },
  };
}

function controls(id, kind, schema, required) {
  const start = schema.default;
  const choices = Array.isArray(schema.enum) ? schema.enum : "const" in schema ? [schema.const] : null;
  if (choices) {
    const choose = h("select", { id, required },
      required && start !== undefined ? null : h("option", { value: "" }, "–"),
      choices.map((one, at) => h("option", { value: String(at), selected: one === start }, String(one))));
    choose.value = start === undefined ? "" : String(choices.indexOf(start));
    return { element: choose, all: [choose], value: () => (choose.value === "" ? undefined : choices[+choose.value]) };
  }
  if (kind === "boolean") {
    const box = h("input", { id, type: "checkbox", checked: start === true });
    return { element: box, all: [box], value: () => (box.checked || start !== undefined || required ? box.checked : undefined) };
  }
  if (kind === "array" && Array.isArray(schema.items?.enum)) {
    const boxes = schema.items.enum.map((one, at) => h("input", {
      id: at ? `${id}-${at}` : id, type: "checkbox", checked: Array.isArray(start) && start.includes(one),
    }));
    return {
      group: true, all: boxes,
      element: h("div", {}, boxes.map((box, at) => h("label", { class: "option" }, box, String(schema.items.enum[at])))),
      value: () => schema.items.enum.filter((_, at) => boxes[at].checked),
    };
  }
  if (kind === "number" || kind === "integer") {
    const input = h("input", {
      id, required, type: "number", step: kind === "integer" ? "1" : "any", min: schema.minimum, max: schema.maximum,
      value: start ?? "",
    });
    return { element: input, all: [input], value: () => (input.value === "" ? undefined : Number(input.value)) };
  }
  if (kind === "array" && schema.items?.type === "string") return lines(id, start, required);
  if (kind === "array" || kind === "object" || kind === undefined) return area(id, start, required, kind);
  if (schema.format === "date-time") return moment(id, start, required);
  const attributes = { id, required, maxlength: schema.maxLength, value: start ?? "", autocomplete: "off" };
  const input = schema.maxLength > LONG || schema.format === "textarea"
    ? h("textarea", { ...attributes, rows: 4 })
    : h("input", { ...attributes, pattern: schema.pattern, type: TYPES[schema.format] || "text" });
  return { element: input, all: [input], value: () => (input.value === "" && !required ? undefined : input.value) };
}

/** A moment: chosen in the browser's time zone, given with its own. */
function moment(id, start, required) {
  const input = h("input", { id, required, type: "datetime-local", value: local(start) });
  const asWritten = input.value; // what is left as it is loses no seconds
  return {
    element: input, all: [input], how: `In your time zone, ${ZONE}.`,
    value() {
      if (input.value === "") return required ? "" : undefined;
      return input.value === asWritten ? start : new Date(input.value).toISOString();
    },
  };
}

function local(stamp) {
  const date = new Date(stamp ?? NaN);
  if (Number.isNaN(+date)) return "";
  return new Date(+date - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function lines(id, start, required) {
  const input = h("textarea", { id, rows: 4, required, value: Array.isArray(start) ? start.join("\n") : "" });
  return {
    element: input, all: [input], how: "One a line.",
    value() {
      const found = input.value.split("\n").map((one) => one.trim()).filter(Boolean);
      return found.length || required ? found : undefined;
    },
  };
}

function area(id, start, required, kind) {
  const input = h("textarea", { id, rows: 4, class: "mono", required, spellcheck: "false",
    placeholder: kind === "array" ? "[…] as JSON" : kind === "object" ? "{…} as JSON" : "JSON, or text" });
  input.value = start === undefined ? "" : JSON.stringify(start, null, 2);
  return {
    element: input, all: [input],
    value() {
      if (input.value.trim() === "") return undefined;
      try {
        return JSON.parse(input.value);
      } catch {
        return input.value; // the API says what it should have been
      }
    },
  };
}

/** A form for anything: one box of JSON. */
function text(prefix) {
  const only = area(`${prefix}-json`, {}, false, "object");
  const problem = h("p", { class: "problem", hidden: true });
  return {
    element: h("div", { class: "field" }, h("label", { for: `${prefix}-json` }, "Inputs as JSON"), problem, only.element),
    value: () => only.value() ?? {},
    problems(errors) {
      problem.hidden = !errors.length;
      problem.textContent = errors.map((one) => one.detail).join(" ");
      return [];
    },
  };
}
