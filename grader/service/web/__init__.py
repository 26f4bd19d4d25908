"""The pages: who asks, what they may see, and what they hand in.

app.py  the application      guards.py  what every request must be, and every answer says
members.py  who asks         door.py  signing in      student.py, attempts.py, staff.py  pages      streams.py  events
"""
