"""The tables, how to reach them, and the steps that bring an older database up to date."""
