"""The commands of the command line, in modules by what they are about; cli.py lists them all."""
