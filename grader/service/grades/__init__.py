"""Grades, as pages and exports show them. Pure functions make final grades from records, and none is stored."""
