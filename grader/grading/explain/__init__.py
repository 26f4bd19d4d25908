"""Explains failures to students. From evidence such as wrong elements, messages and logs, it derives the cause and its
lines. The input is the output of a worker and the expected results, and the output is a Problem (reason, sentence,
lines). This package does not run kernels.
"""
