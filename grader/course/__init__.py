"""A course as records: assignments from their YAML files, the oracles' truth, and submissions as texts.

In: the folders of a course, a student's file. Out: frozen records. Runs no kernel. Imports common and protocol.
"""
