"""All checks of a grading except speed. The modules turn the outputs of a worker into checks with points."""
