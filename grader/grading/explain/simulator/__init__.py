"""Explains the simulator's findings to students, with lines: data races, stray accesses, divergent barriers."""
