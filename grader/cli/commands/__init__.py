"""The commands, in modules by what they are about; cli/main.py lists them all.

A command imports what it needs when it is called, at the beginning of its function. At the top of a module stands only
what its options need. So `--version` and `--help` answer at once, and no command loads what only another needs.
"""
