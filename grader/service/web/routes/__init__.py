"""The routes. Each kind of user has a folder, with a module for each group of pages. app.py lists the modules."""
