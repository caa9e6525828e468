"""The CDK app of a project: its `app.py` calls `synth(__file__)`."""

from __future__ import annotations

import json
import os
import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from cli.console import WRONG, Misuse
from cli.project.compile_file import Refused

if TYPE_CHECKING:
    from aws_cdk import App

    from cdk.model import Application

_NO_BANNER = {"JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20"}
"""What keeps jsii from drawing a box about the age of a Node that will do over all that is said."""


def synth(file: str) -> None:
    """Synthesise the stack of a project, `file` being its `app.py`; ends the process on mistakes.

    The stage is the context value `stage` (`cdk deploy -c stage=prod`), else the first in
    stepsmith.yaml. With a context value `here` it is for `stepsmith dev --stack`. Nothing is
    looked up in an account, and nothing fetched.
    """
    for variable, value in _NO_BANNER.items():
        os.environ.setdefault(variable, value)
    try:
        app = new_app()
    except ModuleNotFoundError:
        sys.stderr.write("deploying needs the CDK: pip install 'stepsmith[deploy]'\n")
        sys.exit(WRONG)
    stage: object = app.node.try_get_context("stage")
    here = app.node.try_get_context("here") is not None
    root = Path(file).absolute().parent
    try:
        add_stack(app, application(root, None if stage is None else str(stage), here=here))
    except (Misuse, Refused) as error:
        sys.stderr.write(f"{str(error).rstrip()}\n")
        sys.exit(error.code if isinstance(error, Misuse) else WRONG)
    app.synth()


def new_app(outdir: Path | None = None) -> App:
    """Return an app whose constructs behave the same, whatever a project's cdk.json says."""
    from aws_cdk import App

    flags = resources.files("cdk").joinpath("flags.json").read_text(encoding="utf-8")
    return App(
        outdir=None if outdir is None else str(outdir),
        context=json.loads(flags),
        # Tests hold the templates against cfn-lint; here it would take longer than all the rest.
        builtin_cloud_formation_validation=False,
    )


def application(root: Path, stage: str | None, *, here: bool = False) -> Application:
    """Compile and pack a project; raises Misuse and Refused.

    With `here` the functions are to run on this machine, by the Python that runs this: they are
    packed with the libraries that it has itself. The stage then is in no account of its own, has
    no domain, and logs people in by a user pool.
    """
    from dataclasses import replace

    from cdk.model import Application
    from cdk.packaging.libraries import installed
    from cli.deployment import deployment, project_in
    from cli.packing import BUILDS, FOLDER, archives, has_templates, packed

    found = deployment(project_in(root, stage))
    where = found.stage
    if here:
        where = replace(
            where, account=None, auth="cognito", oidc=None, domain=None, protected=False
        )
        known = {name: installed() for name in ("functions", BUILDS)}
        made = packed(found, known, root / FOLDER / "here")
    else:
        made = archives(found)
    code = {name: one.path for name, one in made.items()}
    return Application(
        project=found.project.root.name,
        stage=where,
        workflows=found.workflows,
        actions=found.actions,
        code=code,
        scratch=root / FOLDER / "machines",
        secrets=found.secrets,
        build_secrets=found.build_secrets,
        build=code.pop(BUILDS, None),
        has_templates=has_templates(found),
    )


def add_stack(app: App, application: Application) -> None:
    """Add the stack of a stage to an app."""
    from aws_cdk import Environment

    from cdk.stack import StageStack

    stage = application.stage
    StageStack(app, application, env=Environment(account=stage.account, region=stage.region))
