"""The layouts of the platforms' downloads. The module of each platform sorts the files by owner."""
