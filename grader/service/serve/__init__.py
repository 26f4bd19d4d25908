"""`grader serve` and the processes that it keeps running; mails and notices to the webhook."""
