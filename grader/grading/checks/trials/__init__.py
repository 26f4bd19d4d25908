"""The data of launches, and the comparison of the buffers after them with the expected results."""
