"""Requests and answers below the pages: middleware, headers, and streams of events."""
