"""The steps from one version of the tables to the next, in the order of their numbers."""
