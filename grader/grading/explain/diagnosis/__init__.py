"""Why an array is wrong: rules that compare it with what mistakes would have made of it, in all cases together.

evidence (what is known about an array in a case)
-> rules (the registry: each rule's name, the evidence it needs, and its sentence)
   mistakes (as predictions, which matching compares with the cases)
   observations (what can be seen of the array itself)
-> runner (the first rule that explains a case)
"""
