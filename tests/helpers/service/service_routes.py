"""The routes of the service's application."""


def routes(app):
    """Return all routes of the application, including those of nested routers."""
    found = set()
    waiting = [(app.routes, "")]
    while waiting:
        inside, lead = waiting.pop()
        for route in inside:
            nested = getattr(route, "routes", None) or getattr(getattr(route, "original_router", None), "routes", None)
            if nested:
                waiting.append((nested, lead + getattr(route, "prefix", "")))
            else:
                found |= {f"{method} {lead}{route.path}" for method in route.methods - {"HEAD"}}
    return found
