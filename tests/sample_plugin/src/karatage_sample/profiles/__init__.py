"""Every TOML file here is a profile."""
