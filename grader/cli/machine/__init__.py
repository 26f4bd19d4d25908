"""Prepares this machine for grading. doctor.py finds problems; setup.py and debian.py install missing programs."""
