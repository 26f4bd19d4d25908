"""Learning platforms. intake/ reads their downloads, and exports/ writes files that they accept. Student kits are
packed here, too.

Input: downloads, archives and folders, and gradebooks to fill in. Output: submissions with their owners, and files to
upload. Every input may be hostile, because strangers made it. This package imports authoring, reports and results.
"""
