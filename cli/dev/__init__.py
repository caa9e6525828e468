"""The stage that `stepsmith dev` serves."""
