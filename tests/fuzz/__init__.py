"""Hostile input: nothing that somebody writes may end in a traceback."""
