"""What to write for a word that is none of a key's: what other tools call the same, or each word.

Each of these is the `why` of a choice, see `compiler.spec.written.scalars`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from compiler.spec.written.scalars import nearest

Why = Callable[[str], str | None]

_PERSON = "person@example.com"


def _why(words: Mapping[str, str], others: Mapping[str, str]) -> Why:
    """Return what explains a word that is no key of `words`, which say what each one does.

    `others` have the advice for words of other tools; of several for one advice, separated by
    blanks. For all else what each word does, unless it is a slip for one of them.
    """
    known = {word: advice for several, advice in others.items() for word in several.split()}
    told = ", ".join(f"`{word}` {does}" for word, does in words.items())

    def explain(word: str) -> str | None:
        advice = known.get(word.strip().lower().replace("-", "_"))
        return advice or (None if nearest(word, [*words]) else told)

    return explain


ON_ERROR = _why(
    {"fail": "fails the run", "continue": "goes on", "pause": "asks a person what to do"},
    {
        "ignore skip warn allow pass resume none never tolerate": "write `continue`: the run goes "
        "on, and the failed step is tolerated",
        "stop abort cancel exit terminate raise error break": "write `fail`, or leave it out",
        "ask wait manual prompt hold suspend": "write `pause`: a person decides what becomes of it",
        "retry again repeat": "write `retry: {count: 3}`; `on_error` is for the last attempt",
        "rollback undo compensate revert": "write `compensate` with what undoes the step",
    },
)
VERDICT = _why(
    {"fail": "fails the run", "continue": "goes on"},
    {
        "approve approved accept allow pass ignore skip resume go": "write `continue`: the run "
        "goes on, without an approval",
        "stop abort cancel reject rejected deny exit error": "write `fail`, or leave it out",
        "escalate remind notify": "write `escalations: [{after: 48h, notify: " + _PERSON + "}]`",
    },
)
ON_CONFLICT = _why(
    {
        "queue": "lets it wait",
        "cancel_running": "ends the one that runs",
        "reject": "starts none",
    },
    {
        "wait block pending serial": "write `queue`: it waits for its turn",
        "cancel replace restart interrupt true": "write `cancel_running`: the one that runs ends",
        "skip ignore drop fail error deny": "write `reject`: the further run is not started",
    },
)
NOTIFY_ON = _why(
    {
        "failed": "tells of a run that failed",
        "tolerated_failure": "of one that went on after a failure",
        "paused": "of one that waits for a person",
        "succeeded": "of one that ended well",
    },
    {
        "always all any completed complete done finished end": "write `[failed, succeeded]`",
        "error errors broken timeout timed_out": "write `failed`",
        "ok passed pass": "write `succeeded`",
        "waiting approval pending": "write `paused`; who is asked to decide is told anyway",
    },
)
RUNNER = _why(
    {"lambda": "has 15 minutes", "codebuild": "has a container of its own, and hours"},
    {
        "fargate ecs docker container ec2 batch self_hosted kubernetes k8s": "write `codebuild`, "
        "with `image` for a container of your own",
        "local shell bash ubuntu_latest linux function": "write `lambda`, or leave it out",
    },
)
JITTER = _why(
    {"full": "spreads each pause from 0 to its length", "none": "leaves pauses as they are"},
    {
        "true yes on equal decorrelated random some": "write `full`",
        "false no off": "write `none`",
    },
)
BACKOFF = _why(
    {"exponential": "doubles each pause", "fixed": "has the same pause each time"},
    {"linear constant none flat": "write `fixed`", "double expo": "write `exponential`"},
)
AUTH = _why(
    {"link": "lets whoever has the link decide", "login": "asks for a login"},
    {
        "password cognito oidc sso saml jwt iam user required true": "write `login`",
        "token email mail none public false": "write `link`, or leave it out",
    },
)
MISSED = _why(
    {"last": "makes up for the last one", "all": "for each one", "skip": "for none"},
    {
        "none ignore never drop false": "write `skip`",
        "latest one once newest": "write `last`, or leave it out",
        "every each catchup catch_up true": "write `all`",
    },
)
EVENTS = _why(
    {"push": "is a push of a branch or tag", "pull_request": "a request, opened or changed"},
    {
        "merge merged commit": "write `push`: a merge pushes to the branch it goes into",
        "tag tags release create": "write `push`, and `tags` beside it",
        "pr merge_request mr pull_request_target": "write `pull_request`",
    },
)
CHANGES = _why(
    {"insert": "is a new item", "modify": "one that changed", "remove": "one that is gone"},
    {
        "update updated change changed put": "write `modify`",
        "create created add new put_item": "write `insert`",
        "delete deleted drop": "write `remove`",
    },
)
