"""A student's kernels.cl as text: read, scanned once by a process with a budget, never compiled here."""
