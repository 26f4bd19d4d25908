"""Fuzzers: generate input of growing size for everything that comes from outside, and check how the judge handles it.

A recipe describes the parts of an input and which of them are repeated. It is a JSON value and can therefore be stored.
A recipe can make an input of any size, and each step of the judge runs on that input. A step may refuse an input with
one of grader's own errors. It may not raise any other exception, and neither its processor time nor its memory may grow
faster than the input (cost_growth.py). Each violation is a finding. hypothesis shrinks the recipe of a finding, seeds/
keeps it, and each run of the tests tries it again.

    .venv/bin/python tests/fuzz source --seconds 600 --keep
"""
