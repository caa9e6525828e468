"""Runs on this machine and on a stage: what they are given, and how they are carried out."""
