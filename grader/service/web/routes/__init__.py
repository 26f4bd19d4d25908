"""The routes. Each kind of user has a folder, with a module for each group of pages, and the API for staff has
one with a module for each noun. app.py lists the modules.
"""
