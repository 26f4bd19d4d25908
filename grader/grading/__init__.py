"""One submission graded for one assignment: grade.py tells the whole story.

    checks/    does it build, is it right, what does the simulator see, how is memory used
    timing/    how fast is it, beside the model solution, and are the times plausible
    explain/   what a student is told about a check that fails
    by_hand/   `grader run` and `grader profile`: the same machinery, without a grade

In: a submission, an assignment, an environment of workers. Out: a Result. Imports course, execution and results.
"""
