"""The built-in profiles (`*.toml`) and their loader."""

from karatage.profiles.loading import get_profile, profile_names
from karatage.profiles.profile import DETECT, Profile

__all__ = ["DETECT", "Profile", "get_profile", "profile_names"]
