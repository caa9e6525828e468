"""Triggers: what an event means to them, from its identity to the inputs of a run."""
