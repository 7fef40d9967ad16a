"""Data like that of eBay's 2025 aspect challenge, made up: German titles of brake kits and of timing kits.

Nothing here comes from anybody's listings. Makers, makes and models exist; how titles are put together, their numbers
and the annotators' mistakes are drawn by a seeded generator.
"""
