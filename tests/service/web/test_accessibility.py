"""Pages that the walk over the service's own addresses does not reach pass axe: pages for assistants, pages of learning
platforms, refused forms, and reports in files.

One browser visits them all. A page that shows itself only once is fetched by a simulated browser and then shown in
Chromium, without its scripts, because some scripts send a form at once.
"""
