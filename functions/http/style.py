"""The style sheet of the pages, which their policy allows by its hash."""

from __future__ import annotations

import base64
import hashlib

STYLE = """
:root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--text:#1b1f24;--quiet:#57606a;
--line:#d8dee4;--field:#8c959f;--link:#0550ae;--good:#1a7f37;--good-text:#116329;
--good-back:#dafbe1;--bad:#cf222e;--bad-text:#a40e26;--bad-back:#ffebe9;--late-text:#7d4e00;
--late-back:#fff1cc;--plain-back:#eaeef2;--on:#fff}
@media(prefers-color-scheme:dark){:root{--page:#0d1117;--card:#161b22;--text:#e6edf3;
--quiet:#9da7b3;--line:#30363d;--field:#6e7681;--link:#79c0ff;--good:#238636;--good-text:#7ee787;
--good-back:#12351f;--bad:#da3633;--bad-text:#ffa198;--bad-back:#44161a;--late-text:#f0c060;
--late-back:#3a2a07;--plain-back:#262c36;--on:#fff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif;
overflow-wrap:anywhere}
main{max-width:42rem;margin:0 auto;padding:1.25rem 1rem 3rem}
.brand{display:block;margin:0 .25rem .75rem;color:var(--quiet);font-size:.875rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.5rem}
.card+.card{margin-top:1rem}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0 0}
h2{font-size:1.0625rem;margin:0 0 .75rem}
p{margin:.5rem 0 0}
a{color:var(--link)}
.asked{color:var(--quiet)}
.asked strong{font-weight:600;color:var(--text)}
.text{white-space:pre-wrap;margin-top:1rem}
.follows{margin:0 0 1rem;font-size:.9375rem}
.quiet,.hint{color:var(--quiet)}
.hint,.small{font-size:.875rem;margin:.125rem 0 .375rem}
.quiet{font-weight:400}
.chip{display:inline-block;border-radius:1rem;padding:.125rem .75rem;font-size:.8125rem;
font-weight:600;background:var(--plain-back)}
.note{border-radius:.5rem;padding:.75rem 1rem;margin:1rem 0 0;background:var(--plain-back)}
.good{background:var(--good-back);color:var(--good-text)}
.bad{background:var(--bad-back);color:var(--bad-text)}
.late{background:var(--late-back);color:var(--late-text)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.375rem 1.25rem;margin:0;
font-size:.9375rem}
dt{color:var(--quiet)}
dd{margin:0}
.note.good,.note.bad,.note.late{font-weight:500}
.note+.field,.note+fieldset{margin-top:1.25rem}
.note ul{margin:.25rem 0 0;padding-left:1.25rem}
.field{margin:0 0 1.25rem;padding:0;border:0;min-width:0}
.field>label:not(.option),legend{display:block;font-weight:600;margin:0 0 .25rem;padding:0}
input,select,textarea{font:inherit;color:inherit}
input:not([type=checkbox]):not([type=radio]),select,textarea{display:block;width:100%;
min-height:2.75rem;padding:.5rem .75rem;background:var(--card);border:1px solid var(--field);
border-radius:.5rem}
textarea{resize:vertical}
input[type=checkbox],input[type=radio]{width:1.25rem;height:1.25rem;margin:.125rem 0;flex:none;
accent-color:var(--link)}
.option{display:flex;gap:.625rem;align-items:flex-start;padding:.375rem 0;font-weight:400}
div.field>.option{font-weight:600}
[aria-invalid=true]{border-color:var(--bad)!important}
.problem{color:var(--bad-text);margin:.125rem 0 .375rem;font-weight:500}
.buttons{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:.75rem}
button,.button{display:block;width:100%;min-height:3rem;padding:.625rem 1rem;border-radius:.5rem;
border:1px solid var(--field);background:var(--card);color:var(--text);font:inherit;
font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
button small{display:block;font-weight:400;color:inherit}
button.yes{background:var(--good);border-color:var(--good);color:var(--on)}
button.no{border-color:var(--bad-text);color:var(--bad-text)}
button:hover,.button:hover{filter:brightness(.94)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.who{margin:1rem 0 0;font-size:.875rem;color:var(--quiet)}
blockquote{margin:.75rem 0 0;padding:.25rem 0 .25rem 1rem;border-left:3px solid var(--line);
white-space:pre-wrap}
[hidden]{display:none}
@media(max-width:30rem){.card{padding:1.125rem}dl{gap:.375rem .75rem}}
"""
_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""The content security policy: no script at all, no other style."""
