"""Phases of a grading. Each takes the lock that it needs. grade.py calls them in order.

context.py       the workers of one grading       decision.py       the checks that follow from all observations
build.py         the build                        cause_search.py   the search for the line of a mistake
shown_cases.py   the cases that are shown         hidden_cases.py   the hidden cases, and the result
simulation.py    the runs in the simulator        overlap.py        the parts of a suite, overlapped
speed.py         the timed rounds
"""
