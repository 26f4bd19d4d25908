"""Searches for the line of a wrong result that no rule explains, by small edits of the student's own text.

need (does anything else name the line?)
-> source/: outline (the parts of the text)
-> sites, token_edits, expression_edits: edits (of its expressions, each the opposite of a common mistake)
-> mutant_schema (one program that can be any of them), edit_batch (many of them in one launch)
-> evaluator (runs them on the cases that are shown)
-> localisation (are all edits that help in one line?)
-> hint (as much as the instructor allows)

All edits are compiled once, as a mutant schema, so an edit costs no more than a launch. The judge makes texts and
compares results. The programs run where the submission runs.
"""
