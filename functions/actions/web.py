"""HTTP requests of actions: no scheme but http and https, few redirects, a limited answer."""

from __future__ import annotations

import email.message
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3.util import Retry, Timeout

from functions.domain.causes import Category, category_of, of_status
from functions.domain.errors import (
    CATEGORIES,
    OutputTooLarge,
    StepError,
    StepInDoubt,
    ValidationError,
)
from protocol.payloads import Json

MOST_BYTES = 5_242_880
"""Of an answer's body: Lambda may give back 6 MB in all."""
MOST_REDIRECTS = 5
CALLBACK = "Stepsmith-Callback"
"""The header that tells a service where to answer to, when the answer comes later."""
_CONNECT_SECONDS = 10.0
_SHOWN = 500
SAFE = frozenset({"GET", "HEAD", "PUT", "DELETE"})
"""Methods that may be repeated: https://www.rfc-editor.org/rfc/rfc9110#name-idempotent-methods"""


class HttpError(StepError):
    """A service answered with a status that was not expected."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request; `repeatable` where sending it twice does no harm.

    With `secret` the path of the URL is one: it is shown nowhere.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None
    seconds: float
    repeatable: bool = False
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service answered."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes

    def text(self) -> str:
        """Return the body as text, in the character set the answer names, else UTF-8."""
        message = email.message.Message()
        message["content-type"] = self.headers.get("content-type", "")
        charset = message.get_content_charset() or "utf-8"
        try:
            return self.body.decode(charset, errors="replace")
        except LookupError:
            return self.body.decode("utf-8", errors="replace")


def send(request: Request) -> Answer:
    """Send a request and return the answer, whatever its status.

    Raises an error of a category where none came; where the request may have arrived all the
    same and may not be repeated, StepInDoubt; OutputTooLarge for an answer above MOST_BYTES.
    """
    _check(request)
    shown = _shown(request)
    try:
        with _pool(request.url) as pool:
            return _sent(pool, request, shown)
    except urllib3.exceptions.LocationValueError as error:
        raise ValidationError(f"{shown}: it leads to no http or https address") from error
    except urllib3.exceptions.HTTPError as error:
        if isinstance(error, urllib3.exceptions.MaxRetryError) and _redirected(error):
            raise HttpError(f"{shown}: more than {MOST_REDIRECTS} redirects") from None
        raise _unanswered(request, shown, error) from None


def refused(request: Request, answer: Answer) -> StepError:
    """Return the error of an answer whose status was not expected."""
    shown = _shown(request)
    said = " ".join(answer.text()[:_SHOWN].split())
    message = f"{shown} answered {answer.status} {answer.reason}".rstrip()
    message = f"{message} (status_code={answer.status})" + (f": {said}" if said else "")
    kind = CATEGORIES.get(of_status(answer.status) or "", HttpError)
    details: list[Json] = []
    if "retry-after" in answer.headers:
        details.append({"retry_after": answer.headers["retry-after"]})
    return kind(message, status_code=answer.status, details=details)


def shown_url(url: str) -> str:
    """Return a URL as it may be shown: without a user, a query and a fragment."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


def _shown(request: Request) -> str:
    if request.secret:
        return f"{request.method} to the webhook at {urlsplit(request.url).hostname}"
    return f"{request.method} {shown_url(request.url)}"


def _check(request: Request) -> None:
    try:
        parts = urlsplit(request.url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # as `port` raises for one that is no number
        fine = False
    if not fine:
        what = "the URL of the webhook" if request.secret else f"'{request.url[:200]}'"
        raise ValidationError(f"{what} is no http or https address")
    for name, value in request.headers.items():
        if any(character in "\r\n\0" for character in name + value):
            raise ValidationError(f"the header '{name[:80]!r}' has a line break in it")


def _pool(url: str) -> urllib3.PoolManager:
    parts = urlsplit(url)
    proxy = getproxies().get(parts.scheme)
    if proxy and not proxy_bypass(parts.hostname or ""):
        return urllib3.ProxyManager(proxy)
    return urllib3.PoolManager()


def _sent(pool: urllib3.PoolManager, request: Request, shown: str) -> Answer:
    # urllib3 leaves Authorization and Cookie out when a redirect leads to another host.
    retries = Retry(
        total=None, connect=0, read=0, other=0, status=0, redirect=MOST_REDIRECTS,
        allowed_methods=None,
        remove_headers_on_redirect=[*Retry.DEFAULT_REMOVE_HEADERS_ON_REDIRECT, CALLBACK],
    )  # fmt: skip
    answer = pool.request(
        request.method,
        request.url,
        headers=dict(request.headers),
        body=request.body,
        timeout=Timeout(connect=min(_CONNECT_SECONDS, request.seconds), read=request.seconds),
        retries=retries,
        preload_content=False,
    )
    try:
        body = answer.read(MOST_BYTES + 1, decode_content=True)
        if len(body) > MOST_BYTES:
            raise OutputTooLarge(f"{shown} answered with more than {MOST_BYTES} bytes")
        headers = {name.lower(): value for name, value in answer.headers.items()}
        return Answer(answer.status, answer.reason or "", headers, body)
    finally:
        answer.close()


def _redirected(error: urllib3.exceptions.MaxRetryError) -> bool:
    return isinstance(error.reason, urllib3.exceptions.ResponseError)


def _unanswered(request: Request, shown: str, error: Exception) -> StepError:
    category = category_of(error) or Category("NetworkError", sent=True)
    reason = getattr(error, "reason", None) or error
    said = f"{shown}: {_plain(reason)}"
    if category.sent and not request.repeatable:
        return StepInDoubt(f"{said} ({category.name}): it may have arrived, and was not answered")
    return CATEGORIES[category.name](said)


def _plain(error: object) -> str:
    """Return a reason without the objects that urllib3 puts before it."""
    text = str(error)
    before, colon, after = text.partition(": ")
    return after if colon and before.startswith(("<", "HTTP")) else text
