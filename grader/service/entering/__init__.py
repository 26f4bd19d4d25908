"""Ways to sign in beside the links that instructors make: links by mail, passwords, a university's sign-on.

Nobody learns by them who is on the roster, and nobody can keep another person out by trying.
"""
