"""Fuzzers: make random input of growing sizes for everything that comes from outside, and check what the judge does
with it.

A recipe says of which parts an input consists and which of them are repeated. It is a JSON value, so it can be stored.
A recipe makes inputs of any size, and each step of the judge runs on them. A step may refuse an input with an error of
grader. It may raise no other exception, and neither its processor time nor its memory may grow faster than the input
(cost_growth.py). Any violation is a finding. Its recipe, as small as hypothesis can make it, is kept in seeds/, and
each run of the tests tries it again.

    .venv/bin/python tests/fuzz source --seconds 600 --keep
"""
