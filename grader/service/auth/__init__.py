"""Ways to sign in: links, sessions, passwords, a university's sign-on, and tokens for programs.

Nobody learns by them who is on the roster, and nobody can keep another person out by trying.
"""
