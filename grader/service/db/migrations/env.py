"""Entry point for Alembic. Runs the migrations in versions/ on the connection that migrate() has opened."""

from alembic import context

from grader.service.db.models import Base

context.configure(
    connection=context.config.attributes["connection"], target_metadata=Base.metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
