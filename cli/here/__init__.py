"""A stage on this machine: its workflows, people, secrets and folder, and where it is served."""
