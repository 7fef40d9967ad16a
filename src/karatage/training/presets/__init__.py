"""Settings of published experiments, one TOML file each."""
