"""The call at hand: what came in, from whom, and what it is answered with.

Each thread answers one call at a time, so a local server may answer several at once.
"""

from __future__ import annotations

import time
import uuid
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from functions.domain.task import Actor
from functions.http.problems import Problem

if TYPE_CHECKING:
    from functions.http.received import Received
    from functions.wiring import ApiWiring

_AT_HAND: ContextVar[Call] = ContextVar("call")


@dataclass(frozen=True, slots=True)
class Call:
    """A call; `began` is a reading of `time.monotonic`."""

    event: Received
    wiring: ApiWiring
    request_id: str
    began: float

    @property
    def person(self) -> str | None:
        """Return who is logged in, by their mail address where it is known; None for nobody.

        An account (see `account_of`) is the person that the stage's `identities` say it is.
        """
        account = account_of(self.event.get("requestContext") or {})
        if account is None:
            return None
        return self.wiring.desk().directory.called(account)

    @property
    def caller(self) -> Actor:
        """Return who is logged in; raises Problem 401 for nobody."""
        person = self.person
        if person is None:
            raise Problem(401, "log in to do this", headers={"WWW-Authenticate": "Bearer"})
        return Actor(person, "login")


def begin(event: Received, wiring: ApiWiring) -> Call:
    """Make an event the call at hand and return it."""
    context = event.get("requestContext") or {}
    request_id = str(context.get("requestId") or uuid.uuid4())
    call = Call(event, wiring, request_id, time.monotonic())
    _AT_HAND.set(call)
    return call


def at_hand() -> Call:
    """Return the call that this thread is answering."""
    return _AT_HAND.get()


def account_of(context: Any) -> str | None:
    """Return the account that an authoriser of API Gateway vouches for; None for nobody.

    That is a mail address, unless the pool says that it was never verified: anybody may write
    any address into an account of their own. Else it is `user:NAME`, `sub:ID` or `iam:ARN`; names
    that people choose themselves are never taken for addresses.
    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html
    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
    """
    authorizer = context.get("authorizer") or {}
    claims = (authorizer.get("jwt") or {}).get("claims") or {}
    is_verified = str(claims.get("email_verified", "true")).lower() == "true"
    if claims.get("email") and is_verified:
        return str(claims["email"])
    named = [
        ("user", claims.get("cognito:username") or claims.get("username")),
        ("sub", claims.get("sub")),
        ("iam", (authorizer.get("iam") or {}).get("userArn")),
    ]
    return next((f"{kind}:{name}" for kind, name in named if name), None)
