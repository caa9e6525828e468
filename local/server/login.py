"""Who calls the local server: chosen on a small page, and kept in a cookie. No login is asked for.

On AWS people log in by Cognito or what the stage names; here everybody may be anybody.
"""

from __future__ import annotations

import html
from urllib.parse import quote, unquote

from local.server.events import Answer, Request

COOKIE = "stepsmith-as"
LOGIN = "/dev/login"
NOBODY = "-"
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
)
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Who are you?</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 2rem auto; padding: 0 1rem;
  color-scheme: light dark; }}
button, input {{ font: inherit; padding: .4rem .7rem; }}
li {{ margin: .5rem 0; }}
</style>
</head>
<body>
<main>
<h1>Who are you?</h1>
<p>This is a stage on your own machine: you may be anybody. Now you are <strong>{now}</strong>.</p>
<form action="{login}" method="get">
<ul>{people}</ul>
</form>
<form action="{login}" method="get">
<p><label>Somebody else: <input name="as" type="email" autocomplete="off" required></label>
<button>Go on</button></p>
</form>
<p><a href="/">Back</a></p>
</main>
</body>
</html>
"""


def login(request: Request, default: str | None, people: tuple[str, ...]) -> Answer:
    """Return the page, or where `?as=PERSON` says who it is to be, the cookie that says so."""
    chosen = request.query.get("as")
    if chosen is None or not _is_person(chosen):
        return _page(request, default, people)
    cookie = f"{COOKIE}={quote(chosen, safe='@.+-_')}; Path=/; HttpOnly; SameSite=Strict"
    return Answer(303, (("Location", "/"), ("Set-Cookie", cookie), ("Cache-Control", "no-store")))


def _is_person(text: str) -> bool:
    return text == NOBODY or ("@" in text and len(text) < 320 and text.isprintable())


def _page(request: Request, default: str | None, people: tuple[str, ...]) -> Answer:
    now = unquote(request.cookies.get(COOKIE, default or NOBODY))
    known = dict.fromkeys((*((default,) if default else ()), *people, NOBODY))
    buttons = "".join(_button(one) for one in known)
    body = _PAGE.format(login=LOGIN, people=buttons, now=html.escape(_called(now)))
    headers = (
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Security-Policy", _POLICY),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
    )
    return Answer(200, headers, body.encode())


def _button(person: str) -> str:
    value, text = html.escape(person), html.escape(_called(person))
    return f'<li><button name="as" value="{value}">{text}</button></li>'


def _called(person: str) -> str:
    return "nobody" if person == NOBODY else person
