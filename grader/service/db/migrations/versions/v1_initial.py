"""The tables of the first release."""

import sqlalchemy as sa
from alembic import op

from grader.service.db.tables.base import UtcDateTime

revision = "v1"
down_revision = None

OPEN = sa.text("state IN ('waiting', 'running')")


def upgrade() -> None:
    """Create all tables."""
    op.create_table(
        "assignments",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("about", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("by_station", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("audit_by", "audit", ["by_station", "id"])
    op.create_table(
        "holds",
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("assignment"),
    )
    op.create_table(
        "notices",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("about", sa.Integer(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("sent", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("kind", "about", name="notices_once"),
    )
    op.create_table(
        "people",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("folded", sa.String(), server_default="", nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("team", sa.String(), nullable=True),
        sa.Column("created", UtcDateTime(), nullable=False),
        sa.Column("deactivated", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
        sqlite_autoincrement=True,
    )
    op.create_index("people_folded", "people", ["folded"])
    op.create_table(
        "pool",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_pool_assignment", "pool", ["assignment"])
    op.create_table(
        "regradings",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("which", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "releases",
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("assignment"),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "stations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("device_class", sa.String(), nullable=False),
        sa.Column("devices", sa.Integer(), nullable=False),
        sa.Column("grader", sa.String(), nullable=False),
        sa.Column("fault", sa.String(), nullable=False),
        sa.Column("started", UtcDateTime(), nullable=False),
        sa.Column("seen", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("scopes", sa.String(), nullable=False),
        sa.Column("created", UtcDateTime(), nullable=False),
        sa.Column("expires", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token_sha256"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_api_tokens_person_id", "api_tokens", ["person_id"])
    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("form_key", sa.String(), nullable=False),
        sa.Column("form_use", sa.Integer(), server_default="1", nullable=False),
        sa.Column("file_name", sa.String(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("received", UtcDateTime(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("trial", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("counted_id", sa.Integer(), nullable=True),
        sa.Column("entered_by", sa.String(), nullable=True),
        sa.Column("entered_reason", sa.String(), nullable=True),
        sa.Column("entered", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("person_id", "assignment", "number", name="attempts_numbers"),
        sa.UniqueConstraint("person_id", "form_key", "form_use", name="attempts_once_per_use_of_a_form"),
        sa.UniqueConstraint("public"),
    )
    op.create_table(
        "decisions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("points", sa.Double(), nullable=False),
        sa.Column("comment", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("person_id", "assignment", name="decisions_once"),
    )
    op.create_table(
        "device_sign_ins",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("device_sha256", sa.String(), nullable=False),
        sa.Column("user_code", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("scopes", sa.String(), nullable=False),
        sa.Column("expires", UtcDateTime(), nullable=False),
        sa.Column("interval", sa.Integer(), nullable=False),
        sa.Column("polled", UtcDateTime(), nullable=True),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("device_sha256"),
        sa.UniqueConstraint("user_code"),
    )
    op.create_table(
        "extensions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("due", UtcDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("person_id", "assignment", name="extensions_once"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "invitations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("expires", UtcDateTime(), nullable=False),
        sa.Column("used", UtcDateTime(), nullable=True),
        sa.Column("by_mail", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token_sha256"),
    )
    op.create_index("ix_invitations_person_id", "invitations", ["person_id"])
    op.create_table(
        "mail_choices",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("person_id", "kind", name="mail_choices_once"),
    )
    op.create_table(
        "mails",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("begun", UtcDateTime(), nullable=True),
        sa.Column("sent", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_mails_person_id", "mails", ["person_id"])
    op.create_index("mails_to_send", "mails", ["sent", "at"])
    op.create_table(
        "passwords",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("argon2", sa.String(), nullable=False),
        sa.Column("changed", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("person_id"),
    )
    op.create_table(
        "pseudonyms",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("folded", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("folded", name="pseudonyms_unique"),
        sa.UniqueConstraint("person_id", name="pseudonyms_once"),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("form_token", sa.String(), nullable=False),
        sa.Column("expires", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token_sha256"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_sessions_person_id", "sessions", ["person_id"])
    op.create_table(
        "exclusions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attempt_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("attempt_id"),
    )
    op.create_table(
        "dry_runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("received", UtcDateTime(), nullable=False),
        sa.Column("made", sa.Integer(), nullable=False),
        sa.Column("counted_since", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("person_id", "assignment", name="dry_runs_once"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_dry_runs_received", "dry_runs", ["received"])
    op.create_table(
        "gradings",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attempt_id", sa.Integer(), nullable=True),
        sa.Column("dry_run_id", sa.Integer(), nullable=True),
        sa.Column("regrading_id", sa.Integer(), nullable=True),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), server_default="0", nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created", UtcDateTime(), nullable=False),
        sa.Column("not_before", UtcDateTime(), nullable=False),
        sa.Column("started", UtcDateTime(), nullable=True),
        sa.Column("ended", UtcDateTime(), nullable=True),
        sa.Column("claimed_by", sa.String(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("hidden_tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("stop_asked", sa.Boolean(), nullable=False),
        sa.Column("fault", sa.String(), nullable=False),
        sa.Column("points", sa.Double(), nullable=True),
        sa.Column("max_points", sa.Double(), nullable=True),
        sa.Column("shown_points", sa.Double(), nullable=True),
        sa.Column("shown_max", sa.Double(), nullable=True),
        sa.Column("checks", sa.String(), nullable=True),
        sa.Column("full_checks", sa.String(), nullable=True),
        sa.Column("result", sa.String(), nullable=True),
        sa.Column("brief", sa.String(), nullable=True),
        sa.Column("page", sa.LargeBinary(), nullable=True),
        sa.Column("full_page", sa.LargeBinary(), nullable=True),
        sa.Column("shown_result", sa.LargeBinary(), nullable=True),
        sa.Column("speed", sa.Double(), nullable=True),
        sa.Column("shown_speed", sa.Double(), nullable=True),
        sa.Column("device", sa.String(), nullable=True),
        sa.Column("measured_sha256", sa.String(), nullable=True),
        sa.Column("scored_sha256", sa.String(), nullable=True),
        sa.Column("needs_run", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.CheckConstraint("(attempt_id IS NULL) <> (dry_run_id IS NULL)", name="gradings_of_one_file"),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempts.id"]),
        sa.ForeignKeyConstraint(["dry_run_id"], ["dry_runs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("dry_run_id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "gradings_one_open", "gradings", ["attempt_id"], unique=True, sqlite_where=OPEN, postgresql_where=OPEN
    )
    op.create_index("gradings_queue", "gradings", ["state", "priority", "round", "id"])
    op.create_index("ix_gradings_attempt_id", "gradings", ["attempt_id"])
    op.create_index("ix_gradings_regrading_id", "gradings", ["regrading_id"])
    op.create_table(
        "requests",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attempt_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("asked", sa.String(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("answered_by", sa.String(), nullable=False),
        sa.Column("answered", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempts.id"]),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_requests_attempt_id", "requests", ["attempt_id"])
    op.create_index("ix_requests_person_id", "requests", ["person_id"])
    op.create_table(
        "shares",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attempt_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempts.id"]),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("attempt_id", "person_id", name="shares_once"),
    )
    op.create_index("ix_shares_person_id", "shares", ["person_id"])
    op.create_table(
        "progress",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("grading_id", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("data", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["grading_id"], ["gradings.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_progress_grading_id", "progress", ["grading_id"])
    _learning_platforms()
    _courses_of_learning_platforms()
    _create_tables_for_programs()


def _learning_platforms() -> None:
    """Create the tables of registrations at learning platforms."""
    op.create_table(
        "lti_keys",
        sa.Column("kid", sa.String(), nullable=False),
        sa.Column("pem", sa.String(), nullable=False),
        sa.Column("created", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("kid"),
    )
    op.create_table(
        "lti_nonces",
        sa.Column("nonce_sha256", sa.String(), nullable=False),
        sa.Column("expires", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("nonce_sha256"),
    )
    op.create_index("ix_lti_nonces_expires", "lti_nonces", ["expires"])
    op.create_table(
        "lti_platforms",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("issuer", sa.String(), nullable=False),
        sa.Column("client_id", sa.String(), nullable=False),
        sa.Column("authorization_url", sa.String(), nullable=False),
        sa.Column("token_url", sa.String(), nullable=False),
        sa.Column("token_audience", sa.String(), nullable=False),
        sa.Column("jwks_url", sa.String(), nullable=False),
        sa.Column("matches", sa.String(), nullable=False),
        sa.Column("created", UtcDateTime(), nullable=False),
        sa.Column("paused_until", UtcDateTime(), nullable=True),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failing_since", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("issuer", "client_id", name="lti_platforms_once"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "lti_registration_links",
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("expires", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("token_sha256"),
    )
    op.create_table(
        "lti_accounts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("platform_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("sub", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("departed", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["platform_id"], ["lti_platforms.id"]),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("platform_id", "sub", name="lti_accounts_once"),
        sa.UniqueConstraint("platform_id", "person_id", name="lti_accounts_one_per_person"),
    )
    op.create_index("ix_lti_accounts_person_id", "lti_accounts", ["person_id"])
    op.create_table(
        "lti_contexts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("platform_id", sa.Integer(), nullable=False),
        sa.Column("deployment", sa.String(), nullable=False),
        sa.Column("context", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("seen", UtcDateTime(), nullable=False),
        sa.Column("connected", UtcDateTime(), nullable=True),
        sa.Column("connected_by", sa.String(), nullable=False),
        sa.Column("memberships_url", sa.String(), nullable=False),
        sa.Column("groups_url", sa.String(), server_default="", nullable=False),
        sa.Column("group_sets_url", sa.String(), server_default="", nullable=False),
        sa.Column("group_sets", sa.String(), server_default="{}", nullable=False),
        sa.Column("group_set", sa.String(), server_default="", nullable=False),
        sa.Column("line_items_url", sa.String(), nullable=False),
        sa.Column("scopes", sa.String(), nullable=False),
        sa.Column("roster_due", UtcDateTime(), nullable=True),
        sa.Column("rostered", UtcDateTime(), nullable=True),
        sa.Column("roster_words", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["platform_id"], ["lti_platforms.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("platform_id", "deployment", "context", name="lti_contexts_once"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "lti_deployments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("platform_id", sa.Integer(), nullable=False),
        sa.Column("deployment", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["platform_id"], ["lti_platforms.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("platform_id", "deployment", name="lti_deployments_once"),
    )


def _courses_of_learning_platforms() -> None:
    """Create the tables of the people and scores of these platforms."""
    op.create_table(
        "lti_line_items",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("context_id", sa.Integer(), nullable=False),
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["context_id"], ["lti_contexts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("context_id", "assignment", name="lti_line_items_once"),
    )
    op.create_table(
        "lti_members",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("context_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("left", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["context_id"], ["lti_contexts.id"]),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("context_id", "person_id", name="lti_members_once"),
    )
    op.create_index("ix_lti_members_person_id", "lti_members", ["person_id"])
    op.create_table(
        "lti_scores",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("context_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("points", sa.Double(), nullable=True),
        sa.Column("most", sa.Double(), nullable=False),
        sa.Column("comment", sa.String(), nullable=False),
        sa.Column("submitted", UtcDateTime(), nullable=True),
        sa.Column("changed", UtcDateTime(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("not_before", UtcDateTime(), nullable=False),
        sa.Column("begun", UtcDateTime(), nullable=True),
        sa.Column("sent", UtcDateTime(), nullable=True),
        sa.Column("sent_value", sa.String(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.ForeignKeyConstraint(["context_id"], ["lti_contexts.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("context_id", "person_id", "assignment", name="lti_scores_once"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_lti_scores_person_id", "lti_scores", ["person_id"])
    op.create_index("lti_scores_due", "lti_scores", ["state", "not_before"])
    op.create_table(
        "lti_selections",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("context_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("settings", sa.String(), nullable=False),
        sa.Column("expires", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["context_id"], ["lti_contexts.id"]),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token_sha256"),
    )
    op.create_index("ix_lti_selections_person_id", "lti_selections", ["person_id"])


def _create_tables_for_programs() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("created", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("webhook_id", sa.Integer(), nullable=False),
        sa.Column("public", sa.String(), nullable=False),
        sa.Column("event", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("data", sa.String(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("not_before", UtcDateTime(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["webhook_id"], ["webhooks.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_deliveries_webhook_id", "deliveries", ["webhook_id"])
    op.create_index("deliveries_to_send", "deliveries", ["state", "not_before"])
    op.create_table(
        "regrading_ends",
        sa.Column("regrading_id", sa.Integer(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["regrading_id"], ["regradings.id"]),
        sa.PrimaryKeyConstraint("regrading_id"),
    )
    op.create_table(
        "repositories",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("issuer", sa.String(), nullable=False),
        sa.Column("repository", sa.String(), nullable=False),
        sa.Column("user", sa.String(), nullable=False),
        sa.Column("number", sa.String(), nullable=False),
        sa.Column("by_staff", sa.Boolean(), nullable=False),
        sa.Column("created", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("person_id", "issuer", "repository", name="repositories_once"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_repositories_person_id", "repositories", ["person_id"])
    op.create_index("repositories_named", "repositories", ["issuer", "repository"])
