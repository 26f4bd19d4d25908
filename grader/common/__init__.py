"""Modules for every package of the judge: errors, interrupts, files, phrases."""
