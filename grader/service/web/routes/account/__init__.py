"""Pages about one's own account, and sign-in."""
