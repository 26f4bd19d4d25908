"""The routes, with a module for each group of pages, in a folder for each kind of user. app.py lists
the modules.
"""
