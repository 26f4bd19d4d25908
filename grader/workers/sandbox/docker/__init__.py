"""The sandbox `docker`: a container for each worker. container.py says what it may do, seccomp.json what it calls."""
