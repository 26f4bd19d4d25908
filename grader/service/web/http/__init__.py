"""HTTP code that all pages share: middleware, headers, and streams of events."""
