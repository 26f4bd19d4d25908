"""Runs in the simulator, of the submission and of the model solution, and the counts and findings of these runs."""
