"""Attempts and their gradings: accepting, the queue, estimates of the wait, progress and versions."""
