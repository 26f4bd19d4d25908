"""The web interface: pages, and an API for programs.

app.py   the application          middleware.py  checks on every request
auth.py  users, and their forms   routes/        the pages of students and instructors, and the API
"""
