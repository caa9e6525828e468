"""Scenario files: read, played on the local engine, and what came of their cases."""
