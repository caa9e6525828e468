"""`stepsmith.yaml`: the settings of a project, with mistakes reported at their places."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, Field, JsonValue

from compiler.check import StageSettings
from compiler.diagnostics import Diagnostics
from compiler.document import read, to_plain
from compiler.document.nodes import Path
from compiler.source import Source, Span
from compiler.spec.report import Reporter
from compiler.spec.written.parts import Written
from compiler.spec.written.scalars import Duration, Fixed, FixedTexts, Free, Maybe, choice, wrong

LOCAL = "local"
"""The stage of runs on this machine; it is there without being written."""

FILE = "stepsmith.yaml"

_ACCOUNT = re.compile(r"[0-9]{12}")
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]")
_NAME = re.compile(r"[a-z][a-z0-9-]{0,19}")


def _account(text: str) -> str:
    if not _ACCOUNT.fullmatch(text):
        raise wrong("unknown-value", "{key} is {found}, but an account has 12 digits")
    return text


def _region(text: str) -> str:
    if not _REGION.fullmatch(text):
        help_ = "write a region such as eu-central-1"
        raise wrong("unknown-value", "{key} is {found}, which is no region", help_)
    return text


def _mail(text: str) -> str:
    if "@" not in text.strip("@") or text.split() != [text]:
        raise wrong("unknown-value", "{key} is {found}, which is no mail address")
    return text


Mail: TypeAlias = Annotated[Fixed, AfterValidator(_mail)]
_AUTHS = ("cognito", "oidc", "iam")


class Stage(Written):
    """Where workflows are deployed, and who decides there."""

    place: ClassVar[str] = "a stage"

    account: Maybe[Annotated[Fixed, AfterValidator(_account)]] = Field(
        None, description="The AWS account, 12 digits"
    )
    region: Maybe[Annotated[Fixed, AfterValidator(_region)]] = Field(
        None, description="The region, such as eu-central-1"
    )
    vars: Maybe[Free] = Field(None, description="What expressions read as vars.NAME")
    approvers: Maybe[FixedTexts] = Field(
        None, description="Who decides where a manual step names nobody"
    )
    auth: Maybe[Annotated[Literal["cognito", "oidc", "iam"], *choice(*_AUTHS)]] = Field(
        None, description="How people log in: cognito (the default), oidc or iam"
    )
    sender: Maybe[Mail] = Field(None, description="The address that mails come from")
    workflows: Maybe[FixedTexts] = Field(
        None, description="The ids of the workflows deployed here (default: all)"
    )
    retention: Maybe[Duration] = Field(None, description="How long records are kept")


class Settings(Written):
    """A project's settings."""

    place: ClassVar[str] = FILE

    stages: Maybe[dict[str, Stage]] = Field(None, description="The stages, by name")
    identities: Maybe[dict[str, Mail]] = Field(
        None, description="Mail addresses of GitHub and IAM identities"
    )
    groups: Maybe[dict[str, FixedTexts]] = Field(None, description="Members of each group, by name")

    def names(self) -> list[str]:
        """Return the names of the stages; `local` is always one."""
        return list(dict.fromkeys((LOCAL, *(self.stages or {}))))

    def stage(self, name: str) -> StageSettings:
        """Return what the compiler reads of a stage."""
        stages = self.stages or {}
        stage = stages.get(name) or Stage.model_validate({})
        declared = {key for one in stages.values() for key in one.vars or {}}
        return StageSettings(
            name=name,
            vars=dict(stage.vars or {}),
            declared_vars=frozenset(declared),
            approvers=tuple(stage.approvers or ()),
            groups=dict(self.groups or {}),
            identities=dict(self.identities or {}),
        )


def decode_settings(source: Source, diagnostics: Diagnostics) -> Settings:
    """Return the settings in a file, as far as they can be read; every mistake is reported."""
    if not _says_anything(source.text):
        return Settings.model_validate({})
    documents = read(source, diagnostics)
    if not documents:
        return Settings.model_validate({})
    document = documents[0]
    reporter = Reporter(document, diagnostics)
    for extra in documents[1:]:
        span = Span(extra.root.span.start, extra.root.span.start + 1)
        diagnostics.error("not-here", span, f"{FILE} holds one document, and this is another")
    plain = to_plain(document.root)
    settings = reporter.read(Settings, plain, ()).value or Settings.model_validate({})
    if isinstance(plain, dict):
        _check_names(plain, reporter)
        _check_groups(settings, reporter)
    return settings


def _says_anything(text: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.split("\n"))


def _check_names(plain: Mapping[str, JsonValue], reporter: Reporter) -> None:
    stages = plain.get("stages")
    for name in stages if isinstance(stages, dict) else ():
        if not _NAME.fullmatch(name):
            reporter.error_at_key(
                "bad-name",
                ("stages", name),
                f"'{name}' is no name of a stage",
                "write small letters, digits and hyphens, at most 20, a letter first",
            )


def _check_groups(settings: Settings, reporter: Reporter) -> None:
    """Report approvers in groups that are not there, and members that are no mail addresses."""
    groups = settings.groups or {}
    for name, stage in (settings.stages or {}).items():
        for at, who in enumerate(stage.approvers or ()):
            _check_person(who, ("stages", name, "approvers", at), groups, reporter)
    for name, members in groups.items():
        for at, who in enumerate(members):
            _check_person(who, ("groups", name, at), {}, reporter)


def _check_person(
    who: str, path: Path, groups: Mapping[str, tuple[str, ...]], reporter: Reporter
) -> None:
    if reporter.document.find(path) is None:
        path = path[:-1]  # one text that stands for a list of one
    if who.startswith("group:"):
        if who.removeprefix("group:") not in groups:
            known = ", ".join(f"'{name}'" for name in groups)
            help_ = f"there are the groups {known}" if known else "write its members under `groups`"
            reporter.error("unknown-value", path, f"there is no group '{who[6:]}' here", help_)
    elif "@" not in who:
        reporter.error(
            "unknown-value",
            path,
            f"'{who}' is neither a mail address nor a group",
            "write a mail address, or `group:NAME`",
        )
