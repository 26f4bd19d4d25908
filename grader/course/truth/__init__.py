"""What is right: secret inputs, the oracle's answer to them, and whether an array is equal to it.

oracle.py files of instructors import from `grader.oracle` and `grader.mistakes`, which stay where they are.
"""
