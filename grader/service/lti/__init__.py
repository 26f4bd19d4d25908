"""The service as a tool of learning platforms, by LTI 1.3 Advantage.

    platform -> login, launch -> session and membership             (launches/launch, accounts)
    platform <- chosen assignments, as a form of the browser        (launches/deep_linking)
    platform <- names and roles, line items, scores, by requests    (services/)

keys.py is the only module here that knows Authlib and joserfc. These libraries were chosen because the service
already uses them to sign people in (people/auth), they are maintained, and they do the parts that are easy to get
wrong: signatures, keys and token requests. PyLTI1p3 and its successors bring adapters for Django and Flask, keep their
own sessions, and do not allow for clocks that differ.

Accounts, courses and scores belong to a registration, which is an issuer with a client, and courses also to a
deployment. The schools of a hosted platform share an issuer, so the issuer alone does not identify a platform.
"""
