"""Deployments to ministack by the CDK's own command, as to an account."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cli.console import WRONG, Misuse
from cli.project.project import Project
from cli.reach.deployed import stack_of
from cli.tools import Tools

_CONTEXT = ("-c", "here=1")
"""Tells `cli.app` that it is all for this machine."""
NO_CDK = (
    "there is no `cdk` command, which deploys\n"
    "npm install aws-cdk, in the project or with --global; `stepsmith doctor` tells what else is "
    "missing"
)
_TAIL = 25


class NotDeployed(Misuse):
    """The CDK's command failed; the text is the end of what it said."""

    code = WRONG


@dataclass
class Deployer:
    """Synthesises a project and deploys it; `took` has the seconds of each part.

    `folder` is for files, `variables` are those in which AWS is found.
    """

    project: Project
    folder: Path
    account: str
    region: str
    variables: Mapping[str, str]
    tools: Tools
    took: dict[str, float] = field(default_factory=dict)

    def begin(self) -> dict[str, str]:
        """Prepare the account and synthesise the project, both at once; then deploy it.

        Returns the outputs of the stage's stack. Raises NotDeployed.
        """
        place = f"aws://{self.account}/{self.region}"
        both = [
            self._start("bootstrapped", ["bootstrap", place, "--app", ""]),
            self._synthesise(),
        ]
        try:
            for one in both:
                one.wait()
        finally:
            for one in both:
                one.end()
        return self._deploy()

    def again(self) -> dict[str, str]:
        """Deploy what the project is now; returns the outputs, raises NotDeployed."""
        self._synthesise().wait()
        return self._deploy()

    def _synthesise(self) -> _Command:
        stage = ("-c", f"stage={self.project.stage}")
        assembly = str(self.folder / "cdk.out")
        return self._start(
            "synthesised", ["synth", "--quiet", *stage, *_CONTEXT, "--output", assembly]
        )

    def _deploy(self) -> dict[str, str]:
        outputs = self.folder / "outputs.json"
        outputs.unlink(missing_ok=True)
        self._start(
            "deployed",
            [
                *("deploy", "--app", str(self.folder / "cdk.out"), "--all"),
                *("--require-approval", "never", "--outputs-file", str(outputs)),
                *("--progress", "events", "--concurrency", "4"),
            ],
        ).wait()
        found = json.loads(outputs.read_text(encoding="utf-8"))
        told: dict[str, str] = found[stack_of(self.project.stage)]
        return told

    def _environment(self) -> dict[str, str]:
        """Return an environment in which nothing leads to an account of the person who calls."""
        kept = {k: v for k, v in self.tools.environ.items() if not k.startswith(("AWS_", "CDK_"))}
        nowhere = {
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        return {**kept, **nowhere, **self.variables, "PATH": self.tools.path()}

    def _start(self, what: str, words: Sequence[str]) -> _Command:
        program = self.tools.find("cdk")
        if program is None:
            raise Misuse(NO_CDK)
        log = self.folder / f"{what}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [str(program), *words],
                cwd=self.project.root,
                env=self._environment(),
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )
        return _Command(what, process, log, self.took)


@dataclass
class _Command:
    """A command of the CDK that runs."""

    what: str
    process: subprocess.Popen[bytes]
    log: Path
    took: dict[str, float]
    began: float = field(default_factory=time.monotonic)

    def wait(self) -> None:
        """Wait for its end; raises NotDeployed where it was a bad one."""
        try:
            code = self.process.wait()
        finally:
            self.end()
        self.took[self.what] = time.monotonic() - self.began
        if code != 0:
            lines = self.log.read_text(encoding="utf-8", errors="replace").strip().split("\n")
            tail = "\n".join(line for line in lines[-_TAIL:] if line.strip())
            raise NotDeployed(f"the project was not {self.what}:\n{tail}\nall of it: {self.log}")

    def end(self) -> None:
        """End it, if it still runs."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()


def clear(folder: Path) -> None:
    """Make a folder for files of a deployment, with nothing in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
