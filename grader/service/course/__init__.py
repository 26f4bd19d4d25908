"""The course: assignments as read from their files, limits on hand-ins, groups, and the addresses of webhooks."""
