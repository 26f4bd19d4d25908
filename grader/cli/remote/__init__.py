"""The terminal's side of a submission service: it needs nothing of the service's extra."""
