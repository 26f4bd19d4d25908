"""Folders and assignments of this repository, for tests that walk through it."""

from pathlib import Path

HELPERS = Path(__file__).parent
ROOT = HELPERS.parent.parent
FIRST_COURSE = ("blockMMM", "coalsProgrm", "coalsTransp", "optimProgram", "rgblkMMM")
"""Assignments whose kernels fit into a single file, student_template/kernels.cl."""

ASSIGNMENTS = (
    *("bfs", "bitonicSort", "blockMMM", "byteHistogram", "coalsProgrm", "coalsTransp", "convolution", "gameOfLife"),
    *("gaussianBlur", "implicitHeat", "jacobi", "lifeInImages", "loopNest", "mandelbrot", "maxSegmentSum", "nBody"),
    *("nearestNeighbour", "optimProgram", "stablePartition", "prefixScan", "productLadder", "rectMMM", "reduction"),
    *("rgblkMMM", "rot13", "segmentedScan", "spMatVec", "transMMM", "vectorAdd"),
)


def importable(module: str) -> str:
    """Return a PYTHONPATH with which another Python can import a test module and the helpers. `module` is its
    `__file__`.
    """
    return ":".join(map(str, (Path(module).parent, *HELPERS.glob("**/"))))
