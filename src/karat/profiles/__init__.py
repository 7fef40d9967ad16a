"""The built-in profiles (`*.toml`) and their loader."""

from karat.profiles.loading import get_profile, profile_names
from karat.profiles.profile import DETECT, Profile

__all__ = ["DETECT", "Profile", "get_profile", "profile_names"]
