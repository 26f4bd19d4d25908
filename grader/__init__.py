"""Grades OpenCL kernels: a judge that decides, and workers that run what it does not trust."""
