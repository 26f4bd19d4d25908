"""Keeps in the database how assignments are: stations do it, since a web process only reads while it makes a page."""

from grader.service.courses import Shelf, Shown
from grader.service.database.connecting import Database, time_of
from grader.service.memory import remember


class Remembering:
    """What one station has stored of its course."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._stored: dict[str, Shown] = {}

    def keep(self, database: Database) -> None:
        """Store what can be read and has changed since."""
        changed = [each for each in self._shelf.readable() if self._stored.get(each.name) is not each]
        if not changed:
            return
        with database.writing() as session:
            remember(session, changed, time_of(session))
        self._stored |= {each.name: each for each in changed}
