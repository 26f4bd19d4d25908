"""When students may hand in, how often, what lateness costs and which attempt counts: pure functions of records.

rules.py        what course.yaml and assignment.yaml say
deadlines.py    an assignment's dates for one student, and what comes of handing in late
attempts.py     how many attempts are left
counting.py     which attempt counts, and its points less what lateness costs
corrections.py  what an instructor decides by hand

Nothing in here reads a clock or a file: whoever asks says when it is.
"""
