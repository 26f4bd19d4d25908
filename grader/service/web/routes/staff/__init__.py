"""Pages for assistants and instructors."""
