"""How each platform lays out a download: a module for each, which says what belongs to whom."""
