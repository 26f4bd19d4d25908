"""Finds mistakes in the source that the launch and the simulator's observations prove. The evidence is in launch.py,
and the registry of the rules is in rules.py.
"""
