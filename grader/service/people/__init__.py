"""The people of the course: the roster, each person, their pseudonyms and repositories, and the data about them."""
