"""A deployed stage on this machine: `stepsmith dev --stack`."""
