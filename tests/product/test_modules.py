"""Modules of the service: each has its own tests, and a folder is small enough to be read quickly."""

from project import ROOT

SERVICE = ROOT / "grader" / "service"

MOST_ENTRIES = 12
"""Maximum number of modules and folders in a folder."""

WITHOUT_TESTS = (
    "db/migrations/",  # test_migrate.py compares them with the tables
    "db/tables/",  # columns
    "web/routes/",  # tests/service/web opens their pages, and test_permissions.py asks each route
)
"""Modules and folders without test files of their own, each with the reason."""


def test_each_module_of_the_service_has_its_test_file():
    """The tests of service/a/b.py are in tests/service/a/test_b.py. If another file has this name, a folder is part of
    the name, as in test_service_b.py.
    """
    lacking = []
    for path in sorted(SERVICE.rglob("*.py")):
        place = path.relative_to(SERVICE)
        if place.stem.startswith("__") or place.as_posix().startswith(WITHOUT_TESTS):
            continue
        folder = ROOT / "tests" / "service" / place.parent
        named = [
            f"test_{place.stem}.py",
            *(f"test_{each}_{place.stem}.py" for each in ("service", *place.parent.parts)),
        ]
        if not any((folder / each).is_file() for each in named):
            lacking.append(place.as_posix())
    assert lacking == []


def test_a_folder_of_the_service_has_at_most_a_dozen_entries():
    """A folder of the service has at most twelve modules and folders besides __init__.py."""
    folders = [path.parent for path in SERVICE.rglob("__init__.py")]
    sizes = {
        each.relative_to(SERVICE).as_posix(): sum(
            inner.name not in {"__init__.py", "__pycache__"} for inner in each.iterdir()
        )
        for each in folders
    }
    assert {name: size for name, size in sizes.items() if size > MOST_ENTRIES} == {}
