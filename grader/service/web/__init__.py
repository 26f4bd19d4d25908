"""The web interface: pages, and an API for programs.

app.py   the application          http/    checks on every request, headers, and streams of events
auth.py  users, and their forms   routes/  the pages of students and instructors, and the API
"""
