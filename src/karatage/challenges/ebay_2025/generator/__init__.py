"""Data like that of eBay's 2025 aspect challenge, made up: German titles of brake kits and of timing kits.

Nothing here comes from anybody's listings. Makers, makes and models exist; how titles are put together, their numbers
and the annotators' mistakes are drawn by a seeded generator.
"""

from karatage.challenges.ebay_2025.generator.challenge_files import (
    FILES,
    LISTINGS,
    QUIZ,
    QUIZ_GOLD,
    TRAIN,
    Written,
    generate,
)

__all__ = ["FILES", "LISTINGS", "QUIZ", "QUIZ_GOLD", "TRAIN", "Written", "generate"]
