"""Grades one submission for one assignment; start with grade.py.

    checks/    the build, the correctness, the findings of the simulator, the use of memory
    timing/    the speed next to the model solution, and the plausibility of the times
    explain/   the explanations of failed checks for students
    by_hand/   `grader run` and `grader profile`, which use this package without a grade

In: a submission, an assignment, an environment of workers. Out: a Result. Imports course, execution and results.
"""
