"""Secrets that students must not get, and a search for them in everything that students get: texts, wheels and zips.

The search compares sources by their tokens, without comments and spaces, so it also finds reformatted text. A passage
is a run of LENGTH tokens. Texts for students (skeletons, handouts, naive kernels) are not secret, even if a solution
contains them.
"""

import io
import re
import zipfile

from project import ROOT

LENGTH = 16
"""Number of tokens in a row that cannot be a coincidence. This is longer than `const uint row = get_global_id(1);` (9)
and shorter than the line of a tiled product that adds up (20).
"""

COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TOKENS = re.compile(r"[A-Za-z_]\w*|[\d.]+\w*|[^\w\s]")

SOLUTIONS = sorted(ROOT.glob("reference/*/kernels.cl"))
GOLDEN = sorted(path for each in SOLUTIONS for path in ROOT.glob(f"tests/submissions/{each.parent.name}/*/kernels.cl"))
PUBLIC = sorted(
    (
        *ROOT.glob("assignments/*/kernels.cl"),
        *ROOT.glob("assignments/*/README.md"),
        *ROOT.glob("reference/*/baseline.cl"),
        *ROOT.glob("grader/authoring/template/**/*.cl"),  # the example from which `grader new` starts
        ROOT / "student_template" / "kernels.cl",
    )
)


def passages(text):
    """Return all passages of a text."""
    tokens = TOKENS.findall(COMMENTS.sub(" ", text))
    return {tuple(tokens[start : start + LENGTH]) for start in range(len(tokens) - LENGTH + 1)}


def of_files(paths):
    return {passage for path in paths for passage in passages(path.read_text(encoding="utf-8", errors="replace"))}


def secret_passages():
    """Return the passages of model solutions and golden submissions that do not occur in any text for students."""
    return of_files([*SOLUTIONS, *GOLDEN]) - of_files(PUBLIC)


def opened(name, data):
    """Yield the name and text of a file or, for an archive, the names and texts of its members."""
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.namelist():
                yield from opened(f"{name}: {member}", archive.read(member))
    else:
        yield name, data.decode("utf-8", errors="replace")


def secrets_in(files, secrets):
    """Return one secret passage for each file that contains any, by the file's name. `files` maps names to bytes."""
    found = {}
    for outer, data in files.items():
        for name, text in opened(outer, data):
            both = passages(text) & secrets
            if both:
                found[name] = " ".join(min(both))
    return found


def folder_of(root):
    """Return all files in a folder and below it, by their relative path."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
