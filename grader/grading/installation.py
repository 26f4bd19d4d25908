"""Files of this installation of grader: shipped files, the course, and the settings file of the user."""

import os
import sys
from pathlib import Path

import grader
from grader.common.errors import InputError
from grader.common.files import config_folder
from grader.course.folders import KIT_FILE

PACKAGE = Path(grader.__file__).parent

CONFIG_VARIABLE = "GRADER_CONFIG"
CONFIG_FILE = "grader.yaml"


def shipped() -> Path:
    """The folder of the files that are shipped with grader. It is inside the installed package, or next to it in a
    clone.
    """
    inside = PACKAGE / "shipped"
    return inside if inside.is_dir() else PACKAGE.parent


def own_course() -> Path | None:
    """The folder of the course to which this grader belongs. In a clone of the repository, the course is next to the
    package. In a student kit, it is next to the environment. Returns None for a grader that is installed elsewhere,
    because it does not belong to a course.
    """
    kits = Path(sys.prefix).parent / "course"
    if (kits / KIT_FILE).is_file():
        return kits
    return PACKAGE.parent if (PACKAGE.parent / "assignments").is_dir() else None


def config_file() -> Path | None:
    """Path of the settings file in use; None if there is no file. Raises InputError if the file in GRADER_CONFIG does
    not exist.
    """
    named = os.environ.get(CONFIG_VARIABLE)
    if named and not Path(named).is_file():
        raise InputError(f"{CONFIG_VARIABLE} is {named}, which is not a file. Correct or unset the variable.")
    path = Path(named) if named else own_config_file()
    return path if path is not None and path.is_file() else None


def own_config_file() -> Path | None:
    """Path of the user's own settings file, which need not exist; None if the user has no home."""
    folder = config_folder()
    return None if folder is None else folder / CONFIG_FILE
