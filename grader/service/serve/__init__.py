"""`grader serve`: the processes that it keeps running, mails to students, and notices to the webhook."""
