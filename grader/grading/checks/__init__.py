"""All checks of a grading except speed. The modules turn the outputs of a worker into checks with points.

correctness, sanitizer, memory  the kinds of checks
requirements, scoring           what the points of checks depend on
compilation/                    the program of a submission, and its build
trials/                         the data of launches, and the comparison with expected results
simulation/                     runs in the simulator
memory_behaviour/               measures, and advice on them
causes/                         why checks failed
"""
