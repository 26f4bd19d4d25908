"""The command line. main.py turns errors into exit codes, app.py lists the commands, commands/ has a function for each.

In: words typed by a user. Out: text on a terminal, files, an exit code. Imports every package; no package imports it.
"""
