"""All tables. A table is known only after the import of its module, so code that must not forget one uses METADATA."""

from grader.service.db import lti_tables, models, outbox_tables
from grader.service.db.base import Base

MODULES = models, lti_tables, outbox_tables
"""The modules with tables."""

METADATA = Base.metadata
"""The names, columns and keys of all tables."""
