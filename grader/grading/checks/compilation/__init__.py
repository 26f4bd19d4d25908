"""The build of a submission: its program, the rules that it must obey, and its kernels."""
