"""Entry point for Alembic. Runs the migrations in versions/ on the connection that migrate() has opened."""

from alembic import context

from grader.service.db.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
