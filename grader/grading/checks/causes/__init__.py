"""Causes of failed checks, which are found by looking at several checks or runs together."""
