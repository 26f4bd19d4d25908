"""Explains the simulator's findings, such as data races, stray accesses and divergent barriers, to students."""
