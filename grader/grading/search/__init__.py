"""Searches for the line that causes a wrong result which no rule explains, by evaluating small edits of the student's
text.

need (does anything else name the line?) -> source/: outline (the parts of the text) -> sites, token_edits, term_edits,
expression_edits: edits (of its expressions, each the opposite of a common mistake) -> suspect (the edits of the
most suspicious kernels first) -> mutants (one program that can be any of them), evaluated_case (many of them in one
launch) -> evaluator (runs them on the cases that are shown) -> localisation (are all edits that help in one line?) ->
hint (as much as the instructor allows)

All edits are compiled at once, as a mutant schema, so that evaluating an edit costs only a launch. The judge generates
texts and compares results. The programs run where the submission runs.
"""
