"""The submission service. Students hand in files in a browser, stations grade them, and all state is in the database.

    browser -> web/ -> db/ <- station/ -> the batch's own station -> sandbox -> worker

The web process does not compile, parse or render submissions. Stations do this in separate processes. This package
needs the extra `grader[service]`. Outside it, only the commands of the service import it.
"""
