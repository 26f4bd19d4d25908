"""A course as records: assignments from their YAML files, the truth from their oracles, and submissions as texts.

Input: the folders of a course, and a student's file. Output: frozen records. Does not run kernels. This package imports
common and protocol.
"""
