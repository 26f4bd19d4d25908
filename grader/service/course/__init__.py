"""The course: assignments as read from their files, limits on hand-ins, and people with their groups and pseudonyms."""
