"""Golden files: workflows, what they compile to, and what is said of their mistakes."""
