"""The submission service: students hand in by browser, stations grade, the database is the only state.

    browser -> web/ -> db/ <- station/ -> the batch's own station -> sandbox -> worker

The web process neither compiles nor parses nor renders what students send. Stations do, in separate processes.
Everything here needs the extra `grader[service]`. Outside this room, only its commands import it.
"""
