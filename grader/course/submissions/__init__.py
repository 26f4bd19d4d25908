"""A student's kernels.cl as text. It is read, and scanned once in a process with limited resources. It is not compiled
here.
"""
