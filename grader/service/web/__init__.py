"""The pages: who asks, what they may see, and what they hand in.

app.py   the application          middleware.py  what every request must be, and what every answer says
auth.py  who asks, and forms      routes/        the pages of students and instructors, and the API
"""
