"""The people of the course: the roster, each person, their pseudonyms and repositories, the data about them, and the
ways in which they sign in (auth/).
"""
