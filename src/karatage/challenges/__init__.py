"""Published challenges: their formats, profiles, checks and data generators."""
