"""Timed rounds of the submission and of grader's own kernels, and the points for their times.

timing_setup.py   the participants: submission, reference, control   measurement.py   the rounds, one by one
rounds.py         a round as a state machine                         verifiers.py     inputs and verified results
intervals.py      medians, their intervals, when to stop             performance.py   rates, plausibility, points
"""
