"""What a stage is made of, one capability a file. They take values and constructs."""
