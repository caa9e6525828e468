"""Which old versions of a stage may go, and deleting them."""
