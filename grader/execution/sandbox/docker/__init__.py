"""The sandbox `docker`: a container for each worker.

container.py says what it may do, seccomp.json which system calls it may make. Limits of memory, processor time, files
and processes come from the settings (`limits`, `docker`): their defaults stand in grading/settings.py and rules.py.
"""
