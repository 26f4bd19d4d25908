"""Grades, as pages and exports show them. Pure functions make final grades from records; nothing of them is stored."""
