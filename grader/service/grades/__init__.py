"""Grades in the form that pages and exports show. Pure functions compute final grades from records; final grades are
not stored. Only instructors change grades, by decisions/.
"""
