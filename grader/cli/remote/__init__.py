"""The terminal's side of a submission service. It needs no package of the service's extra."""
