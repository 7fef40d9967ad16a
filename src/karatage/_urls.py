"""URLs: what looks like one, and how it is shown."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+://")

WEB = ("http", "https")


def is_url(path: str) -> bool:
    """Return whether a path is a URL. A drive of Windows is not: its name has one letter."""
    return _URL.match(path) is not None


def shown(url: str) -> str:
    """Return a URL for messages and records: without a password, and without a query, which may hold a signature."""
    parts = urlsplit(url)
    if parts.scheme.lower() not in WEB:
        return url
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
