"""Scenarios: what a workflow is to do where steps and people behave in a certain way."""
