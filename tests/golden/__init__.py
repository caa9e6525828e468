"""Golden files: workflows with their compiled machines, and with what is said about their mistakes."""
