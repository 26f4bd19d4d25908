"""What an assignment's oracle.py imports: `from grader.oracle import Truth`, and functions that make structured inputs.
This import path stays, even if the modules move.
"""

from grader.course.truth.oracle import Truth
from grader.course.truth.structured import ascending, csr, image, permutation, text

__all__ = ["Truth", "ascending", "csr", "image", "permutation", "text"]
