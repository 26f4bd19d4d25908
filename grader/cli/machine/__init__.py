"""This machine: what it lacks to grade (doctor.py), and what installs that (setup.py, debian.py)."""
