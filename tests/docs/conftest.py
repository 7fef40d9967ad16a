"""What tests of the built site share."""

from tests.browser import chromium

__all__ = ["chromium"]
