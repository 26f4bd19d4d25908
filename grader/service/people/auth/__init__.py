"""Ways to sign in: links, sessions, passwords, a university's sign-on, and tokens for programs.

None of them reveals who is on the roster, and failed attempts by others do not lock a person out.
"""
