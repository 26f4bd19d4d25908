"""The layout of each platform's download: a module for each sorts the files by owner."""
