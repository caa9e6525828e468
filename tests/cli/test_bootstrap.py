"""Whether an account is ready: what is missing is told before the CDK is asked to deploy."""

from __future__ import annotations

import boto3
import pytest
from moto import mock_aws

from cli.bootstrap import PARAMETER, main, what_is_missing
from cli.project.settings import Stage

HERE = Stage.model_validate({"region": "eu-central-1"})


@mock_aws
def test_an_account_where_the_cdk_has_never_been_is_told():
    assert what_is_missing(HERE, boto3.Session()) == (
        "the CDK has never been here; run: npx cdk bootstrap aws://123456789012/eu-central-1"
    )


@mock_aws
@pytest.mark.parametrize(("version", "told"), [("5", "has to be of 6"), ("30", None)])
def test_an_old_bootstrap_is_told(version: str, told: str | None):
    ssm = boto3.client("ssm", region_name="eu-central-1")
    ssm.put_parameter(Name=PARAMETER, Value=version, Type="String")

    missing = what_is_missing(HERE, boto3.Session())

    assert missing is None if told is None else told in (missing or "")


@mock_aws
def test_credentials_of_another_account_are_told():
    stage = Stage.model_validate({"account": "111111111111", "region": "eu-central-1"})

    missing = what_is_missing(stage, boto3.Session())

    assert missing == (
        "the credentials are of the account 123456789012, the stage is of 111111111111"
    )


def test_a_stage_that_is_not_there_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stepsmith.yaml").write_text("stages: {dev: {}}\n")

    assert main(["prd"]) == 2
    assert "there is no stage 'prd'" in capsys.readouterr().err
