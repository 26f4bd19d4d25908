"""The submission service: students hand in by browser, stations grade, the database is the only state.

    browser -> web/ -> db/ <- station/ -> the batch's own station -> sandbox -> worker

The web process neither compiles nor parses nor renders what students send: a station does, in a process of its own.
Everything here needs the extra `grader[service]`; nothing outside this room but its command imports it.
"""
