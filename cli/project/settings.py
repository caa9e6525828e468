"""`stepsmith.yaml`: the settings of a project, with mistakes reported at their places."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue

from compiler.check import StageSettings
from compiler.diagnostics import Diagnostics
from compiler.document import read, to_plain
from compiler.document.nodes import Path
from compiler.source import Source, Span
from compiler.spec.report import Reporter
from compiler.spec.written.parts import Written
from compiler.spec.written.scalars import (
    Duration,
    Fixed,
    FixedTexts,
    Flag,
    Free,
    Maybe,
    choice,
    listed,
    wrong,
)
from protocol.addresses import is_address

LOCAL = "local"
"""The stage of runs on this machine; it is there without being written."""

FILE = "stepsmith.yaml"

_ACCOUNT = re.compile(r"[0-9]{12}")
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]")
_NAME = re.compile(r"[a-z][a-z0-9-]{0,19}")
_ADDRESS = re.compile(r"https://[A-Za-z0-9.-]+(:[0-9]+)?(/[^\s?#]*)?")
_HOST = re.compile(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}")
_RESERVED = ("amazon", "aws", "cognito")
DAY = 86_400


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
    if not is_address(text):
        raise wrong("unknown-value", "{key} is {found}, which is no mail address")
    return text


def _issuer(text: str) -> str:
    if not _ADDRESS.fullmatch(text):
        help_ = "write its address, such as https://login.example.com/team"
        raise wrong("unknown-value", "{key} is {found}, which is no https address", help_)
    return text


def _host(text: str) -> str:
    if not _HOST.fullmatch(text):
        help_ = "write a name such as stepsmith.example.com"
        raise wrong("unknown-value", "{key} is {found}, which is no domain", help_)
    return text


def _arn(service: str, example: str) -> AfterValidator:
    def check(text: str) -> str:
        if not re.fullmatch(rf"arn:aws[a-z-]*:{service}:[a-z0-9-]+:[0-9]{{12}}:\S+", text):
            raise wrong("unknown-value", "{key} is {found}, which is no such ARN", example)
        return text

    return AfterValidator(check)


def _kept(seconds: int) -> int:
    if seconds < DAY:
        raise wrong("out-of-range", "{key} is {found}, but must be at least 1d")
    return seconds


Mail: TypeAlias = Annotated[Fixed, AfterValidator(_mail)]
Mails: TypeAlias = Annotated[tuple[Mail, ...], BeforeValidator(listed)]
_AUTHS = ("cognito", "oidc", "iam")
_CPUS = ("arm64", "x86_64")
_STREAM = "write it as `aws dynamodb describe-table` gives it: LatestStreamArn"
_CERTIFICATE = "write the ARN of a certificate in ACM, in the stage's region"


class Oidc(Written):
    """Whose tokens are taken where people log in elsewhere."""

    place: ClassVar[str] = "`oidc`"
    foreign: ClassVar[Mapping[str, tuple[str | None, str]]] = {
        "url": ("issuer", "write `issuer`"),
        "client_id": ("audience", "write `audience`"),
        "client": ("audience", "write `audience`"),
    }

    issuer: Annotated[Fixed, AfterValidator(_issuer)] = Field(
        description="The address that tokens name as `iss`"
    )
    audience: FixedTexts = Field(description="What tokens name as `aud`, or as `client_id`")


class Domain(Written):
    """A name of one's own for the API and its pages."""

    place: ClassVar[str] = "`domain`"

    name: Annotated[Fixed, AfterValidator(_host)] = Field(
        description="The name, such as stepsmith.example.com"
    )
    certificate: Annotated[Fixed, _arn("acm", _CERTIFICATE)] = Field(
        description="The ARN of its certificate in ACM, in the stage's region"
    )


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
    oidc: Maybe[Oidc] = Field(None, description="Whose tokens are taken with `auth: oidc`")
    sender: Maybe[Mail] = Field(None, description="The address that mails come from")
    chat: Maybe[Fixed] = Field(
        None, description="The name of the secret that holds the address of a chat's webhook"
    )
    alarms: Maybe[Mails] = Field(None, description="Mail addresses that alarms are sent to")
    domain: Maybe[Domain] = Field(None, description="A name of one's own for API and pages")
    workflows: Maybe[FixedTexts] = Field(
        None, description="The ids of the workflows deployed here (default: all)"
    )
    retention: Maybe[Annotated[Duration, AfterValidator(_kept)]] = Field(
        None, description="How long records and logs are kept (365d)"
    )
    architecture: Maybe[Annotated[Literal["arm64", "x86_64"], *choice(*_CPUS)]] = Field(
        None, description="The processors of the functions: arm64 (the default) or x86_64"
    )
    streams: Maybe[dict[str, Annotated[Fixed, _arn("dynamodb", _STREAM)]]] = Field(
        None, description="ARNs of the streams of tables that triggers listen to, by table"
    )
    clusters: Maybe[FixedTexts] = Field(
        None, description="EKS clusters that workflows may deploy to (any in the account)"
    )
    protected: Maybe[Flag] = Field(
        None, description="Whether tables, machines and logins outlive the stack (true)"
    )


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
        declared: dict[str, list[str]] = {}
        for other, one in stages.items():
            for key in one.vars or {}:
                declared.setdefault(key, []).append(other)
        return StageSettings(
            name=name,
            vars=dict(stage.vars or {}),
            declared_vars={key: tuple(names) for key, names in declared.items()},
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
        _check_logins(settings, reporter)
        _check_prefixes(settings, reporter)
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


def _check_prefixes(settings: Settings, reporter: Reporter) -> None:
    """Report stages in one place of which one's names begin like the other's.

    What belongs to a stage is told by `stepsmith-STAGE-` in its name.
    """
    stages = {name: one for name, one in (settings.stages or {}).items() if name != LOCAL}
    for name, stage in stages.items():
        for other, place in stages.items():
            is_near = (stage.account, stage.region) == (place.account, place.region)
            if is_near and name.startswith(f"{other}-"):
                reporter.error_at_key(
                    "bad-name",
                    ("stages", name),
                    f"'{name}' begins like the stage '{other}', and is deployed to the same place",
                    f"call it `{name.replace('-', '')}`, or deploy it to another region or account",
                )


def _check_logins(settings: Settings, reporter: Reporter) -> None:
    """Report stages that nobody can log in to, or that say for nothing whose tokens they take.

    The name of a user pool's domain has the stage's in it:
    https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-assign-domain-prefix.html
    """
    for name, stage in (settings.stages or {}).items():
        path: Path = ("stages", name)
        word = next((one for one in _RESERVED if one in name), None)
        if word is not None and stage.auth in (None, "cognito") and name != LOCAL:
            reporter.error_at_key(
                "bad-name",
                path,
                f"'{name}' has '{word}' in it, which Cognito takes in no name of a login",
                "call the stage something else, or write `auth: oidc` or `auth: iam`",
            )
        if stage.auth == "oidc" and stage.oidc is None and reporter.document.find(path) is not None:
            if reporter.document.key((*path, "oidc")) is None:
                reporter.error(
                    "missing-key",
                    (*path, "auth"),
                    "`auth: oidc` does not say whose tokens are taken",
                    "add `oidc: {issuer: https://..., audience: ...}` to the stage",
                )
        elif stage.auth != "oidc" and stage.oidc is not None:
            reporter.error_at_key(
                "not-here",
                (*path, "oidc"),
                "`oidc` says nothing here, since the stage does not take those tokens",
                "write `auth: oidc`, or leave `oidc` out",
            )


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
