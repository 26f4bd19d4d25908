"""Rules about when and how often students may hand in, what lateness costs and which attempt counts, as pure functions.

rules.py        the rules of course.yaml and assignment.yaml
deadlines.py    an assignment's dates for one student, and the cost of lateness
attempts.py     the number of attempts that are left
counting.py     the attempt that counts, and its points less the cost of lateness
corrections.py  corrections of a grade by an instructor

None of these functions reads a clock or a file; the caller passes the time.
"""
