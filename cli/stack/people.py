"""Who calls a stage on ministack: whoever one says one is, with a token of the stage's user pool.

API Gateway asks for the token, and checks it, as on AWS; what is left out is the password.
"""

from __future__ import annotations

import http.client
import json
import secrets
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from local.server.events import Answer, Request

_SETTINGS = "/console.json"
_SECONDS = 60.0
_EARLY = 60
"""Seconds before its end at which a token is no longer used."""
_HOP = frozenset({"connection", "content-length", "host", "keep-alive", "transfer-encoding"})


@dataclass
class Logins:
    """Tokens of people, who are put into the user pool when they first call; `client` is boto3's.

    May be used by several threads.
    """

    client: Any
    pool: str
    application: str
    _tokens: dict[str, tuple[str, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def token(self, person: str) -> str:
        """Return a token that says who somebody is."""
        with self._lock:
            token, until = self._tokens.get(person, ("", 0.0))
            if until < time.time():
                token, until = self._log_in(person)
                self._tokens[person] = token, until
            return token

    def _log_in(self, person: str) -> tuple[str, float]:
        password = f"{secrets.token_urlsafe(24)}aA1!"
        client, pool = self.client, self.pool
        with suppress(client.exceptions.UsernameExistsException):  # from before a deploy
            client.admin_create_user(
                UserPoolId=pool,
                Username=person,
                MessageAction="SUPPRESS",
                UserAttributes=[
                    {"Name": "email", "Value": person},
                    {"Name": "email_verified", "Value": "true"},
                ],
            )
        client.admin_set_user_password(
            UserPoolId=pool, Username=person, Password=password, Permanent=True
        )
        given = client.initiate_auth(
            AuthFlow="USER_PASSWORD_AUTH",
            ClientId=self.application,
            AuthParameters={"USERNAME": person, "PASSWORD": password},
        )["AuthenticationResult"]
        return str(given["IdToken"]), time.time() + int(given["ExpiresIn"]) - _EARLY


@dataclass(frozen=True, slots=True)
class Way:
    """The way to the API of a stage: `port` is ministack's, `host` the name of the API there.

    The name is one below `localhost`, which browsers look up on this machine and other programs
    need not: so requests go to the address, and carry the name.
    """

    port: int
    host: str
    stage: str
    logins: Logins

    def forward(self, request: Request, person: str | None) -> Answer:
        """Return what the stage answers; the pages are told that nobody has to log in."""
        if request.path == _SETTINGS:
            told = json.dumps({"auth": "local", "stage": self.stage}).encode()
            return Answer(200, (("Content-Type", "application/json"),), told)
        headers = {k: v for k, v in request.headers.items() if k not in _HOP and k != "cookie"}
        if person is not None and "authorization" not in headers:
            headers["authorization"] = f"Bearer {self.logins.token(person)}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_SECONDS)
        try:
            connection.request(
                request.method, request.target, request.body, {**headers, "host": self.host}
            )
            found = connection.getresponse()
            body = found.read()
        except (OSError, http.client.HTTPException) as error:
            return Answer(502, (("Content-Type", "text/plain"),), f"ministack: {error}\n".encode())
        finally:
            connection.close()
        kept = tuple((k, v) for k, v in found.getheaders() if k.lower() not in _HOP)
        return Answer(found.status, kept, body)


def way(stage: str, outputs: Mapping[str, str], port: int, client: Any) -> Way:
    """Return the way to a stage by the outputs of its stack."""
    logins = Logins(client, outputs["UserPool"], outputs["UserPoolClient"])
    return Way(port, urlsplit(outputs["ApiUrl"]).netloc, stage, logins)
