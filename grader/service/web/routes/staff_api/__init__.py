"""The API for staff: the course as JSON, with a module for each noun. Each request needs a bearer token with a scope.

Programs get the same data that the pages show to the owner of the token. A person who no longer teaches loses access at
once, even with an old token. An error is a JSON object whose field `detail` is a sentence.
"""
