"""The course: assignments as their files say, limits, and the people with their groups and pseudonyms."""
