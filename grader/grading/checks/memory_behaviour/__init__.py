"""Measures of memory behaviour, and the advice that they lead to."""
