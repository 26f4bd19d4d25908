"""The pages: who asks, what they may see, and what they hand in.

app.py  the application      guards.py  what every request must be, and every answer says
members.py  who asks         door.py  signing in      streams.py  events
student.py, editing.py, attempts.py, own_data.py  a student's pages          staff.py, extending.py  an instructor's
"""
