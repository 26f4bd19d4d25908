"""What the simulator saw go wrong, in a student's words: data races, strays, divergent barriers, with lines."""
