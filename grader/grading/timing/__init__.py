"""Timed rounds of the submission beside our own kernels, and what their times are worth.

lineup.py         who is timed: submission, reference, control        measurement.py   the rounds, one by one
rounds.py         a round as a state machine                          referee.py       every timed output is judged
intervals.py      medians, their intervals, when to stop              performance.py   rates, plausibility, points
"""
