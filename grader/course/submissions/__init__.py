"""A student's kernels.cl as text. It is read, and scanned once by a process with a budget; it is not compiled here."""
