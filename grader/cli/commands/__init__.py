"""The commands, in modules by what they are about; cli/main.py lists them all."""
