"""`stepsmith prune`: delete versions of a stage's machines and functions that nothing needs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cli.console import FINE, WRONG, Console, Misuse

if TYPE_CHECKING:
    from cli.prune.account import Account
    from cli.prune.plan import Found, Plan, Wish


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command's options."""
    from cli.prune.plan import NEWEST
    from cli.reach.show import add_format

    parser.add_argument("--on", metavar="STAGE", required=True, help="a deployed stage")
    parser.add_argument(
        "--newest",
        type=_count,
        default=NEWEST,
        metavar="N",
        help=f"versions of each machine that stay for going back (default: {NEWEST})",
    )
    parser.add_argument(
        "--left",
        action="store_true",
        help="delete machines, functions, roles and rules of waits, too, that the stack does not "
        "know any more",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--dry-run", action="store_true", help="only show what would be deleted")
    how.add_argument("--yes", action="store_true", help="delete without asking")
    add_format(parser)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"write a number from 0 on, not '{text}'")
    return int(text)


def run(arguments: argparse.Namespace, console: Console) -> int:
    """Show what would be deleted, ask, and delete it; 1 where something was not deleted."""
    from cli.prune import text as output
    from cli.prune.plan import Wish, plan

    if not (arguments.dry_run or arguments.yes or _is_asked(console, arguments.format)):
        raise Misuse(
            "nobody is here to be asked\n--dry-run  only shows what would be deleted\n"
            "--yes      deletes it without asking"
        )
    wish = Wish(arguments.newest, left=arguments.left)
    account = _account(arguments.on)
    with _told():
        found = account.found(left=wish.left)
        made = plan(found, wish, account.names)
    as_json = arguments.format == "json"
    if not as_json:
        colour = console.colours(console.stdout)
        console.stdout.write(output.plan_text(found, made, colour=colour) + "\n")
    if made.is_empty or arguments.dry_run:
        if as_json:
            console.stdout.write(output.as_json(found, made, None))
        else:
            console.stdout.write(f"{output.sum_text(made)} to be deleted\n")
        return FINE
    if not arguments.yes:
        if not _agreed(f"delete {output.sum_text(made)}? [y/N] ", console):
            console.stderr.write("nothing was deleted\n")
            return FINE
        found, made = _again(account, wish, made)
    return _delete(found, wish, made, account, arguments.format, console)


def _again(account: Account, wish: Wish, shown: Plan) -> tuple[Found, Plan]:
    """Return what there is now and what of a plan still holds: an answer may take its time."""
    from cli.prune.delete import both
    from cli.prune.plan import plan

    with _told():
        found = account.found(left=wish.left)
        return found, both(shown, plan(found, wish, account.names))


def _delete(
    found: Found, wish: Wish, made: Plan, account: Account, form: str, console: Console
) -> int:
    from cli.prune import text as output
    from cli.prune.delete import carry_out

    with _told():
        outcome = carry_out(found, wish, account.names, made, account)
    if form == "json":
        console.stdout.write(output.as_json(found, made, outcome))
    else:
        console.stdout.write(output.outcome_text(outcome))
    console.stderr.write(output.failures_text(outcome))
    return WRONG if outcome.failed else FINE


def _is_asked(console: Console, form: str) -> bool:
    """Whether somebody is there who can read the plan and answer."""
    return form == "text" and console.stdin.isatty()


def _agreed(question: str, console: Console) -> bool:
    console.stderr.write(question)
    console.stderr.flush()
    return console.stdin.readline().strip().casefold() in ("y", "yes")


def _account(stage: str) -> Account:
    """Return the account of a stage of the project here; raises Misuse."""
    import boto3

    from cli.deployment import project_in
    from cli.project.project import root_of
    from cli.prune.account import account_of

    root = root_of(Path.cwd())
    if root is None:
        raise Misuse("--on is for the stages of a project, and there is none here or above")
    project = project_in(root, stage)
    written = (project.settings.stages or {})[project.stage]
    with _told():
        return account_of(project.stage, written, boto3.Session())


@contextmanager
def _told() -> Iterator[None]:
    """Tell what AWS refused as a call that cannot be carried out."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise Misuse(f"AWS refused to tell: {' '.join(str(error).split())}") from None
