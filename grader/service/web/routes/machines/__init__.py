"""Routes for other programs, and pages that connect these programs."""
