"""The output of `grader validate`."""
