"""Names for an assignment's oracle.py: `Truth`, and functions that make structured inputs. The import path
`grader.oracle` stays, even if the modules move.
"""

from grader.course.truth.oracle import Truth
from grader.course.truth.structured import ascending, csr, image, permutation, text

__all__ = ["Truth", "ascending", "csr", "image", "permutation", "text"]
