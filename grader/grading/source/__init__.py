"""Analyses the text of a kernel for explanations and searches: its expressions, visible variables and deciding
conditions.
"""
