"""Random tokens and their hashes, and secrets for child processes."""
