"""Pages for students."""
