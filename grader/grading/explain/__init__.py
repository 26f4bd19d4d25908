"""Finds the words for the student: from evidence (wrong elements, messages, logs) to the cause, with its lines.

Input: the results from a worker, and the truth. Output: a Problem (reason, sentence, lines). Runs no kernel.
"""
