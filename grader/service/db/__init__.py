"""The tables, how to reach them, and the migrations; also the audit trail and the outbox, which are tables only."""
