"""Modules that every package of the judge uses, for errors, interrupts, files and phrases."""
