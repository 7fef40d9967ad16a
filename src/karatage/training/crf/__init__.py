"""A linear-chain CRF over word features: trained by CRFsuite, decoded here."""
