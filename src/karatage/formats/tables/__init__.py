"""Tables of claims, one row each: Parquet, CSV and tab-separated text."""
