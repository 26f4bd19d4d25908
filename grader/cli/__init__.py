"""The command line. main.py turns errors into exit codes, app.py lists the commands, and commands/ has one function for
each.

Input: words typed by a user. Output: text on a terminal, files and an exit code. This package imports every other
package, and no package imports it.
"""
