"""The terminal's side of a submission service. It does not need the packages of the service extra."""
