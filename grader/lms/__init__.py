"""Learning platforms: intake/ reads their downloads, exports/ writes files that they accept. Kits are packed here, too.

In: downloads, archives, folders; grade books to fill in. Out: submissions with their owners; files to upload. Every
input may be hostile: strangers made it. Imports authoring, reports and results.
"""
