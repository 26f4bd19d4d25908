"""The layout of each platform's download: a module for each platform sorts the files by owner."""
