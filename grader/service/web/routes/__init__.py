"""The routes, with a module for each group of pages. app.py lists the modules."""
