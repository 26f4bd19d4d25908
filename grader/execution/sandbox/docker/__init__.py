"""The sandbox `docker`, which uses a container for each worker.

sandbox.py defines the rights of a container, and seccomp.json lists the system calls that it may make. The limits on
memory, processor time, files and processes come from the settings (`limits`, `docker`). Their defaults are in
grading/settings.py and rules.py.
"""
