"""What the functions are deployed as: archives of their own modules and of locked libraries.

Nothing here needs Docker; only `libraries.fetch` needs the network.
"""
