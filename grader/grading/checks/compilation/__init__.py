"""What is compiled: the submission as a program, the rules that it must obey, and the build of it."""
