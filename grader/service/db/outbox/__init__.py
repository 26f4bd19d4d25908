"""Messages to send: mails to students, events for webhooks, and the rules for sending."""
