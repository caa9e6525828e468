"""`stepsmith.yaml`: what it says of stages, and its mistakes at their places."""

from __future__ import annotations

from textwrap import dedent

import pytest

from cli.settings import Settings, decode_settings
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
    assert dev.declared_vars == {"replicas", "url"}
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
        ("stages: {Dev_1: {region: eu-west-1}}\n", "bad-name", "Dev_1"),
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
