// Who calls. A local stage asks nobody to log in; a deployed one names where people log in
// (OpenID Connect, the authorization code flow with PKCE), in /console.json.

let settings = { auth: "local" };
const KEPT = "stepsmith-login";

/** Reads the settings, and takes up a login that comes back; resolves when calls may begin. */
export async function begin() {
  try {
    const answer = await fetch("/console.json");
    if (answer.ok) settings = await answer.json();
  } catch { /* a local stage */ }
  if (!settings.authority || !settings.client_id) return true;
  const query = new URLSearchParams(location.search);
  if (query.has("code")) await finish(query);
  if (token()) return true;
  await leave();
  return false;
}

export function stage() {
  return settings.stage || "local";
}

export function isLocal() {
  return settings.auth === "local";
}

/** The bearer token of calls; null where there is none. */
export function token() {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) || "null");
  return kept && kept.until > Date.now() ? kept.token : null;
}

/** Who is logged in, as far as the token says. */
export function person() {
  const bearer = token();
  if (!bearer) return null;
  try {
    const part = bearer.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    const claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(part), (c) => c.charCodeAt(0))));
    return claims.email || claims.sub || null;
  } catch {
    return null;
  }
}

/** The API knows nobody by the token, or there is none any more: whoever shows the page says so. */
export function expired() {
  if (!settings.authority) return;
  sessionStorage.removeItem(KEPT);
  dispatchEvent(new Event("stepsmith:expired"));
}

export function logOut() {
  sessionStorage.removeItem(KEPT);
  location.assign("/");
}

async function endpoints() {
  const answer = await fetch(`${settings.authority.replace(/\/$/, "")}/.well-known/openid-configuration`);
  return answer.json();
}

const random = () => base64(crypto.getRandomValues(new Uint8Array(32)));
const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
  .replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const home = () => `${location.origin}${location.pathname}`;

/** Goes where people log in; they come back to where they were. */
export async function leave() {
  const verifier = random(), state = random();
  sessionStorage.setItem("stepsmith-leaving", JSON.stringify({ verifier, state, hash: location.hash }));
  const challenge = base64(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
  const asked = new URLSearchParams({
    response_type: "code", client_id: settings.client_id, redirect_uri: home(), state,
    scope: settings.scope || "openid email", code_challenge: challenge, code_challenge_method: "S256",
  });
  location.assign(`${(await endpoints()).authorization_endpoint}?${asked}`);
}

async function finish(query) {
  const left = JSON.parse(sessionStorage.getItem("stepsmith-leaving") || "null");
  sessionStorage.removeItem("stepsmith-leaving");
  history.replaceState(null, "", home() + (left?.hash || ""));
  if (!left || left.state !== query.get("state")) return;
  const answer = await fetch((await endpoints()).token_endpoint, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code", client_id: settings.client_id, redirect_uri: home(),
      code: query.get("code"), code_verifier: left.verifier,
    }),
  });
  if (!answer.ok) return;
  const given = await answer.json();
  const kept = { token: given.id_token || given.access_token, until: Date.now() + (given.expires_in - 30) * 1000 };
  sessionStorage.setItem(KEPT, JSON.stringify(kept));
}
