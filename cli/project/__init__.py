"""A project on disk: found, read, and compiled with all that a workflow is checked against."""
