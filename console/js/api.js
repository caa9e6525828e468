// The HTTP API of a stage: every answer is JSON, every failure a problem document (RFC 9457).

import { say } from "./dom.js";
import { token, expired } from "./login.js";

/** What the API refused: `problem` is its document, `status` the HTTP status. */
export class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || `The API answered ${status}.`);
    this.status = status;
    this.problem = problem;
  }

  /** What is wrong with single fields, by their JSON pointers. */
  get errors() {
    return this.problem.errors || [];
  }
}

async function call(method, path, body, headers = {}) {
  const given = { Accept: "application/json", ...headers };
  if (body !== undefined) given["Content-Type"] = "application/json";
  const bearer = token();
  if (bearer) given.Authorization = `Bearer ${bearer}`;
  let answer;
  try {
    answer = await fetch(path, {
      method, headers: given, body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Refused(0, { title: "The API cannot be reached." });
  }
  if (answer.status === 401) expired();
  const text = await answer.text();
  let value = {};
  try {
    value = text ? JSON.parse(text) : {};
  } catch {
    value = { title: `The API answered ${answer.status} with something else than JSON.` };
    if (answer.ok) throw new Refused(answer.status, value);
  }
  if (!answer.ok) throw new Refused(answer.status, value);
  return { value, headers: answer.headers, status: answer.status };
}

/** Returns what is at a path; `query` leaves out what is empty. */
export async function get(path, query = {}) {
  const kept = Object.entries(query).filter(([, value]) => value !== "" && value !== undefined && value !== null && value !== false);
  const asked = new URLSearchParams(kept).toString();
  return (await call("GET", asked ? `${path}?${asked}` : path)).value;
}

export async function post(path, body = {}, headers = {}) {
  return call("POST", path, body, headers);
}

/** Returns what does some work, and says what the API has against it. */
export const orSay = (work) => async (...given) => {
  try {
    await work(...given);
  } catch (fault) {
    if (!(fault instanceof Refused)) throw fault;
    say(fault.message);
  }
};

export const at = (...parts) => `/api/${parts.map(encodeURIComponent).join("/")}`;
