"""The tables, access to them, and their migrations. The audit trail and the outbox are here, too, because each is just
a table.
"""
