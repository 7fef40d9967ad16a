"""The built-in profiles (`*.toml`) and their loader."""

from karat.profiles.profile import DETECT, Profile, get_profile, profile_names

__all__ = ["DETECT", "Profile", "get_profile", "profile_names"]
