"""A linear-chain CRF over features of words: trained by CRFsuite, decoded here."""
