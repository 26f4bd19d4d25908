"""Grades one submission for one assignment. Start reading with grade.py.

    checks/    checks of the build, correctness, wrong accesses (on the simulator) and memory behaviour
    timing/    the speed relative to the model solution, and the plausibility of the times
    explain/   the explanations of failed checks for students
    by_hand/   `grader run` and `grader profile`, which use this package without a grade

The input is a submission, an assignment and an environment of workers, and the output is a Result. The package imports
course, execution and results.
"""
