"""What a course consists of: assignments as their YAML files say, the truth that oracles know, submissions as texts.

In: the folders of a course, a student's file. Out: frozen records. Runs no kernel. Imports common and protocol.
"""
