"""Fuzzers: whatever comes from outside is made at random, in growing sizes, and what the judge does with it is watched.

A recipe says what an input is made of and what in it is repeated; it is a value of JSON, so that it can be kept. From a
recipe inputs of any size are made, and each step of the judge's is run on them. A step may refuse an input with an
error of ours. It may raise nothing else, and neither its processor time nor its memory may grow faster than the input
(growth.py). What does is a finding; its recipe, made as small as hypothesis can, is kept in seeds/ and tried again by
every run of the tests.

    .venv/bin/python tests/fuzz source --seconds 600 --keep
"""
