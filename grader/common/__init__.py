"""Used by every room of the judge: errors, interrupts, files, phrases."""
