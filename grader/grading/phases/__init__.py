"""Phases of a grading. Each takes the lock that it needs. grade.py calls them in order.

context.py       the workers of one grading        decision.py       the checks that follow from all observations
build.py         the build                         cause_search.py   the search for the line of a mistake
observation.py   the shown cases, and the          hidden_cases.py   the hidden cases, and the result
                 runs in the simulator
speed.py         the timed rounds
"""
