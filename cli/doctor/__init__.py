"""Whether everything is there: on this machine, in the project, in the account of a stage."""
