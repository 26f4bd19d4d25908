"""Where a wrong result comes from that no rule explains: small edits of the student's own text are tried, one by one.

need (is there nothing else that says why?)
-> source/: outline (what the text holds)
-> sites, substitutions, rewritings: edits (of its expressions)
-> switchboard (one program that can be any of them)
-> trying (on the cases that are shown)
-> locating (is it one line?)
-> telling (as much as the instructor wants)

All edits are compiled once, as one program: a number that each launch is given picks the edit. So an edit costs as much
as a launch. The judge makes texts and compares results; the programs run where the submission runs.
"""
