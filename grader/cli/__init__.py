"""The command line. main.py lists the commands and turns errors into exit codes; commands/ has one function for each.

In: words typed by a user. Out: text on a terminal, files, an exit code. Imports every room; no room imports it.
"""
