"""The tables, access to them, and the migrations. Also the audit trail and the outbox, which are only tables."""
