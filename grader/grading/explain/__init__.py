"""Words for the student: from evidence (wrong elements, messages, logs) to the cause, with its lines.

In: what came back from a worker, and the truth. Out: a Problem (reason, sentence, lines). Runs no kernel.
"""
