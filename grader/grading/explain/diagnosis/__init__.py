"""Explains why an array is wrong. Rules compare it with the effects of mistakes, considering all cases together.

evidence (the facts about an array in a case)
-> rules (the registry: each rule's name, the evidence it needs, and its sentence; the first that explains a case)
   mistakes (as predictions, which matching compares with the cases)
   observations (facts that the array itself shows)
"""
