"""Settings for learning platforms that use LTI. They belong to the settings of the whole grader, so they are defined in
this package.
"""

from grader.common.record import Record


class LtiRules(Record):
    """Rules for requests to learning platforms. `private_hosts` lists the host names that may have a private address.
    All other platforms must have public addresses, so that a registration cannot make the service send requests to
    machines behind the firewall.
    """

    private_hosts: tuple[str, ...] = ()
