"""All tables of the database. SQLAlchemy knows a table only after its module has been imported, so code that needs all
tables uses METADATA, which cannot miss one.
"""

from grader.service.db import lti_tables, models, outbox_tables
from grader.service.db.base import Base

MODULES = models, lti_tables, outbox_tables
"""The modules with tables."""

METADATA = Base.metadata
"""The names, columns and keys of all tables."""
