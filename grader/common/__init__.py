"""What every room of the judge may use: errors and whose fault they are, interrupts, files, phrases."""
