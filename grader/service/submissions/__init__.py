"""Attempts and their gradings: acceptance of hand-ins, the queue, estimates of waiting times, progress and versions."""
