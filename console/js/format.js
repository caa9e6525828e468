// How things are called and shown.

import { h } from "./dom.js";

const TONES = {
  succeeded: "good", approved: "good", started: "good", delivered: "good",
  failed: "bad", timed_out: "bad", rejected: "bad", dead: "bad",
  running: "busy", retrying: "busy",
  waiting: "late", paused: "late", pending: "", overdue: "late",
  skipped: "skipped", cancelled: "", duplicate: "", ignored: "",
};

/** The tone of a status: good, bad, late, busy, skipped or none. */
export function tone(status) {
  return TONES[status] ?? "";
}

export function words(status) {
  return String(status).replaceAll("_", " ");
}

export function chip(status, text) {
  return h("span", { class: `chip ${tone(status)}` }, text || words(status));
}

/** A moment as a `time` element, told from now; the whole is in its title. */
export function when(stamp) {
  if (!stamp) return h("span", { class: "quiet" }, "–");
  const date = new Date(stamp);
  return h("time", { datetime: stamp, title: date.toISOString() }, ago(date));
}

const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const STEPS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

function ago(date) {
  const seconds = (date - Date.now()) / 1000;
  if (Math.abs(seconds) > 6 * 86400) {
    return date.toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
  }
  const [unit, size] = STEPS.find(([, one]) => Math.abs(seconds) >= one) || STEPS.at(-1);
  return RELATIVE.format(Math.round(seconds / size), unit);
}

/** The time from one stamp to another (or to now), in two units at most. */
export function lasted(from, to) {
  if (!from) return "";
  let left = Math.max(0, (to ? new Date(to) : new Date()) - new Date(from)) / 1000;
  if (left < 10) return `${left.toFixed(1)} s`;
  const parts = [];
  for (const [name, size] of [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]]) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count && parts.length < 2) parts.push(`${count} ${name}`);
    else if (parts.length) break;
  }
  return parts.join(" ") || "0 s";
}

export function json(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** A value in a box, long ones scroll; nothing for null. */
export function value(title, given) {
  if (given === null || given === undefined) return null;
  if (typeof given === "object" && !Object.keys(given).length) return null;
  return [h("h3", {}, title), h("pre", { tabindex: "0", "aria-label": title }, json(given))];
}

export function facts(...pairs) {
  return h("dl", { class: "facts" }, pairs.filter(([, told]) => told !== null && told !== undefined && told !== "" && told !== false)
    .map(([name, told]) => [h("dt", {}, name), h("dd", {}, told)]));
}

export const short = (id) => (id.length > 34 ? `${id.slice(0, 31)}…` : id);
