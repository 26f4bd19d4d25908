"""Names mistakes in the source that the launch and the simulator's observations establish.

launch.py has the evidence, rules.py the registry of the rules.
"""
