"""Learning platforms. intake/ reads their downloads, exports/ writes files that they take; kits are packed here, too.

In: downloads, archives, folders; grade books to be filled in. Out: submissions with their owners; files to upload.
Everything read here was made by strangers. Imports authoring, reports and results.
"""
