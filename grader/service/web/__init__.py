"""The pages and the API: who asks, what they may see, and what they hand in.

app.py   the application          middleware.py  checks of every request, headers of every answer
auth.py  users, and their forms   routes/        the pages of students and instructors, and the API
"""
