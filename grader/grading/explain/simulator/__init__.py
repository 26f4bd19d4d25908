"""Explains to students what the simulator saw: data races, stray accesses, divergent barriers, with lines."""
