"""Pages for sign-in and for the user's own account."""
