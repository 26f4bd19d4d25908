"""Search for the line of a wrong result that no rule explains: small edits of the student's own text are tried.

need (is there nothing else that says why?)
-> source/: outline (what the text holds)
-> sites, token_edits, expression_edits: edits (of its expressions, each the opposite of a common mistake)
-> mutant_schema (one program that can be any of them), edit_batch (many of them in one launch)
-> evaluator (runs them on the cases that are shown)
-> localisation (are the edits that help all in one line?)
-> hint (as much as the instructor wants)

All edits are compiled once, as a mutant schema, so an edit costs as much as a launch. The judge makes texts and
compares results; the programs run where the submission runs.
"""
