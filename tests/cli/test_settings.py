"""`stepsmith.yaml`: what it says of stages, and its mistakes at their places."""

from __future__ import annotations

from textwrap import dedent

import pytest

from cli.project.settings import Settings, decode_settings
from compiler.diagnostics import Diagnostics
from compiler.source import Source


def decoded(text: str) -> tuple[Settings, list[tuple[str, str]]]:
    """Return the settings in a text, and each mistake: its code and the text it is about."""
    source = Source("stepsmith.yaml", dedent(text))
    found = Diagnostics(source)
    settings = decode_settings(source, found)
    return settings, [(one.code, source.text[one.span.start : one.span.end]) for one in found]


def test_a_stage_gives_what_the_compiler_reads():
    settings, found = decoded("""\
        stages:
          dev:
            vars: {replicas: 1}
            approvers: [group:team, lead@example.com]
          prod:
            account: 012345678901
            region: eu-central-1
            vars: {replicas: 3, url: x}
            sender: no-reply@example.com
            retention: 90d
        groups: {team: [a@example.com, b@example.com]}
        identities: {"github:alice": a@example.com}
        """)

    assert found == []
    dev = settings.stage("dev")
    assert dev.vars == {"replicas": 1}
    assert dev.declared_vars == {"replicas": ("dev", "prod"), "url": ("prod",)}
    assert dev.approvers == ("group:team", "lead@example.com")
    assert dev.groups == {"team": ("a@example.com", "b@example.com")}
    assert dev.identities == {"github:alice": "a@example.com"}
    assert settings.stages is not None
    assert settings.stages["prod"].account == "012345678901"


def test_local_is_always_a_stage():
    settings, _ = decoded("stages: {prod: {region: eu-central-1}}\n")

    assert settings.names() == ["local", "prod"]
    assert settings.stage("local").vars == {}


@pytest.mark.parametrize("text", ["", "# nothing yet\n"])
def test_an_empty_file_is_a_project_with_defaults(text: str):
    settings, found = decoded(text)

    assert (settings.names(), found) == (["local"], [])


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("stage: {}\n", "unknown-key", "stage"),
        ("stages: {dev: {regoin: eu-central-1}}\n", "unknown-key", "regoin"),
        ("stages: [dev]\n", "wrong-type", "[dev]"),
        ("stages: {dev: {region: mars}}\n", "unknown-value", "mars"),
        ("stages: {dev: {account: 1234}}\n", "unknown-value", "1234"),
        ("stages: {dev: {auth: password}}\n", "unknown-value", "password"),
        ("stages: {dev: {sender: nobody}}\n", "unknown-value", "nobody"),
        ("stages: {dev: {retention: 90}}\n", "bad-duration", "90"),
        ("stages: {dev: {approvers: [lead]}}\n", "unknown-value", "lead"),
        ("stages: {dev: {approvers: 'group:x'}}\n", "unknown-value", "'group:x'"),
        ("stages: {dev: {retention: 12h}}\n", "out-of-range", "12h"),
        ("stages: {dev: {architecture: arm}}\n", "unknown-value", "arm"),
        ("stages: {dev: {protected: 'no'}}\n", "wrong-type", "'no'"),
        ("stages: {dev: {alarms: [me]}}\n", "unknown-value", "me"),
        ("stages: {dev: {streams: {orders: orders}}}\n", "unknown-value", "orders"),
        ("stages: {dev: {domain: {name: x.example.com}}}\n", "missing-key", "name"),
        ("stages: {dev: {domain: {name: a.b.de, certificate: c}}}\n", "unknown-value", "c"),
        ("stages: {dev: {auth: oidc}}\n", "missing-key", "oidc"),
        (
            "stages: {dev: {auth: oidc, oidc: {issuer: 'https://a.example.com'}}}\n",
            "missing-key",
            "issuer",
        ),
        (
            "stages: {dev: {auth: oidc, oidc: {issuer: http://a.example.com, audience: b}}}\n",
            "unknown-value",
            "http://a.example.com",
        ),
        (
            "stages: {dev: {oidc: {issuer: 'https://a.example.com', audience: b}}}\n",
            "not-here",
            "oidc",
        ),
        ("stages: {dev: {}, dev-2: {}}\n", "bad-name", "dev-2"),
        ("stages: {dev-2: {region: eu-west-1}, dev: {region: eu-west-1}}\n", "bad-name", "dev-2"),
        ("stages: {Dev_1: {region: eu-west-1}}\n", "bad-name", "Dev_1"),
        ("stages: {draws: {}}\n", "bad-name", "draws"),
        ("stages: {my-cognito: {auth: cognito}}\n", "bad-name", "my-cognito"),
        ("groups: {team: [nobody]}\n", "unknown-value", "nobody"),
        ("identities: {alice: nobody}\n", "unknown-value", "nobody"),
    ],
)
def test_a_mistake_is_reported_where_it_stands(text: str, code: str, place: str):
    assert decoded(text)[1] == [(code, place)]


def test_all_mistakes_are_reported_at_once():
    _, found = decoded("""\
        stages:
          dev: {region: mars, auth: none}
          prod: {acount: "123456789012"}
        """)

    assert [place for _, place in found] == ["mars", "none", "acount"]


@pytest.mark.parametrize(
    "text",
    [
        "stages: {dev: {region: eu-west-1}, dev-2: {region: eu-central-1}}\n",
        "stages: {dev: {account: '012345678901'}, dev-2: {account: '112345678901'}}\n",
        "stages: {dev: {}, dev2: {}}\n",
        "stages: {local: {}, local-2: {}}\n",
        "stages: {aws-prod: {auth: iam}}\n",
    ],
)
def test_stages_may_be_called_alike_where_they_cannot_be_mixed_up(text: str):
    assert decoded(text)[1] == []


def test_a_stage_says_how_it_is_deployed():
    settings, found = decoded("""\
        stages:
          prod:
            auth: oidc
            oidc: {issuer: https://login.example.com/, audience: api}
            domain:
              name: flows.example.com
              certificate: arn:aws:acm:eu-central-1:012345678901:certificate/a
            alarms: ops@example.com
            streams: {orders: arn:aws:dynamodb:eu-central-1:012345678901:table/orders/stream/1}
            clusters: shop
            architecture: x86_64
            protected: false
        """)

    assert found == []
    assert settings.stages is not None
    stage = settings.stages["prod"]
    assert stage.oidc is not None
    assert (stage.oidc.issuer, stage.oidc.audience) == ("https://login.example.com/", ("api",))
    assert (stage.alarms, stage.clusters) == (("ops@example.com",), ("shop",))
    assert (stage.architecture, stage.protected) == ("x86_64", False)
