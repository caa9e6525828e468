"""`make demo`: two workflows, compiled and run on this machine, on a repository made for them."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from local.demo.cluster import Cluster, serve
from local.demo.command import Command, say
from local.demo.project import DEPLOYMENT, make

_SHIPPED = Path(__file__).parents[2] / "workflows" / "deploy_application.yaml"
_RELEASE = "review=approved:bob@example.com:48h"
_DEPLOY = "review-deployment=approved:bob@example.com:50h"


def main(argv: list[str] | None = None) -> int:
    """Run the demo and return the exit code: that of the first run that did not succeed, else 0."""
    parser = argparse.ArgumentParser(prog="python -m local.demo", description=__doc__)
    parser.add_argument("--break", dest="broken", action="store_true", help="break a test")
    parser.add_argument("--public", action="store_true", help="announce the release as well")
    parser.add_argument("--ask", action="store_true", help="be asked for the reviews yourself")
    parser.add_argument("--json", action="store_true", help="print the records as JSON")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="make the repository here")
    options = parser.parse_args(argv)
    for program in ("git", "make", "tar"):
        if shutil.which(program) is None:
            say(f"the demo needs the program `{program}`, which is not on this machine")
            return 2
    if options.keep is not None and options.keep.exists() and any(options.keep.iterdir()):
        say(f"the repository is to be made in '{options.keep}', which is not empty")
        return 2
    with tempfile.TemporaryDirectory(prefix="stepsmith-demo-") as scratch:
        folder = (options.keep or Path(scratch, "greeter")).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        registry = Path(scratch, "registry")
        registry.mkdir()
        workflow = make(folder, broken=options.broken)
        code = _show(workflow, registry, options)
    say("", *_next(options))
    return code


def _show(workflow: Path, registry: Path, options: argparse.Namespace) -> int:
    """Show both runs, the second one carried out beside the first unless somebody is asked."""
    repository = workflow.parent
    cluster = Cluster()
    with serve(cluster) as address:
        variables = {"KUBERNETES_API": address}
        release = ["--input", f"registry={registry}"]
        release += ["--input", "audience=public"] if options.public else []
        deploy = ["--source", str(repository)]
        deploying = None
        if not (options.ask or options.broken):
            deploying = Command(_call(_SHIPPED, deploy, _DEPLOY, options), variables, live=False)
        say(
            f"A git repository with a small package and its tests: {repository}",
            "",
            f"1. Its own workflow, {workflow.name}, is made of scripts and a review.",
        )
        code = Command(_call(workflow, release, _RELEASE, options), {}, live=True).shown()
        if options.broken:
            say("", "2. Nothing is deployed: the tests fail.")
            return code
        say(
            "",
            f"2. {_SHIPPED.name} builds, tests and deploys it by ready-made actions,",
            f"   to a small Kubernetes API that the demo serves at {address}.",
        )
        if deploying is None:
            deploying = Command(_call(_SHIPPED, deploy, _DEPLOY, options), variables, live=True)
        code = deploying.shown() or code
    say("", _running(cluster))
    return code


def _call(
    workflow: Path, arguments: list[str], decision: str, options: argparse.Namespace
) -> list[str]:
    file = min(str(workflow), os.path.relpath(workflow), key=len)
    decided = [] if options.ask else ["--decide", decision]
    form = ["--format", "json"] if options.json else []
    return ["run", file, *arguments, *decided, *form]


def _running(cluster: Cluster) -> str:
    """Return what the cluster says of the deployment."""
    found = cluster.objects.get(DEPLOYMENT)
    if found is None:
        return "The cluster runs nothing."
    container = found["spec"]["template"]["spec"]["containers"][0]
    out = found.get("status", {}).get("availableReplicas", 0)
    calls = ", ".join(path.rpartition("namespaces/")[2] for _, path in cluster.writes)
    return f"The cluster runs {out} replicas of {container['image']}; it was sent {calls}."


def _next(options: argparse.Namespace) -> list[str]:
    python = min(sys.executable, os.path.relpath(sys.executable), key=len)
    again = f"{python} -m local.demo"
    tries = {
        f"{again} --break": (options.broken, "a bug: the failing test is named, the exit code 1"),
        f"{again} --ask": (options.ask, "the reviews ask you, here at the terminal"),
        f"{again} --public": (options.public, "the step that was skipped runs"),
        f"{again} --json": (options.json, "the records as a program reads them"),
        f"{again} --keep greeter": (options.keep, "keep the repository and change it"),
    }
    return ["Try next:"] + [
        f"  {command:<{len(again) + 15}} {what}"
        for command, (done, what) in tries.items()
        if not done
    ]


if __name__ == "__main__":
    sys.exit(main())
