"""What commands on a stage have in common: finding its API, asking it, printing what it said."""
