"""What a deployment makes, in this process: its machines, functions, tables, queue and clock."""
