"""Alembic migrations: one step from each version of the tables to the next."""
