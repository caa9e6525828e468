"""The API and the console of a local stage, over HTTP on this machine."""
