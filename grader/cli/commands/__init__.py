"""The commands, in one module per subject. cli/app.py lists them all.

A command imports its modules at the beginning of its function. At the top of the file, there are only the imports that
its options need. Thus `--version` and `--help` answer at once, and no command loads modules that only another command
needs.
"""
