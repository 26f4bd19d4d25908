"""All tables of the database, by nouns. SQLAlchemy knows a table only after its module has been imported, so this
package imports all of them.

people -< attempts -< gradings -< progress
people -< dry runs - gradings
people -< shares >- attempts -< exclusions, requests
people -< extensions, decisions; people - pseudonyms            releases, holds, regradings, assignments: of a whole one
people -< repositories
people -< invitations, passwords, sessions, api tokens, device sign-ins           audit: everything that changes a grade
people -< mails, mail choices; webhooks -< deliveries
"""

from grader.service.db.tables import access, assignments, audit, decisions, lti, outbox, people, stations, submissions
from grader.service.db.tables.base import Base

MODULES = access, assignments, audit, decisions, lti, outbox, people, stations, submissions
"""The modules with tables."""

METADATA = Base.metadata
"""The names, columns and keys of all tables."""
