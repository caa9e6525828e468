"""The CDK app of this project: `cdk` runs it."""

from cli.app import synth

synth(__file__)
