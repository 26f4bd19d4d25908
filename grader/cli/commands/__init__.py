"""The commands, in one module for each subject. cli/app.py lists them all.

A command imports its modules at the beginning of its function. The top of a command's module imports only the modules
that its options need. So `--version` and `--help` answer at once, and no command loads modules that only another needs.
"""
