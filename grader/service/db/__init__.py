"""The tables, access to them, and their migrations. The audit trail and the outbox are here, too, because each is just
a table. Tokens are here because the tables keep their hashes, and handover.py because it passes the database's address.
"""
