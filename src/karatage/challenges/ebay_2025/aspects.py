"""The aspects of eBay's challenge: which of them each category has."""

from __future__ import annotations

from collections.abc import Mapping

_BOTH = (
    "Anzahl_Der_Einheiten",
    "Besonderheiten",
    "Einbauposition",
    "Größe",
    "Hersteller",
    "Herstellernummer",
    "Im_Lieferumfang_Enthalten",
    "Kompatible_Fahrzeug_Marke",
    "Kompatibles_Fahrzeug_Jahr",
    "Kompatibles_Fahrzeug_Modell",
    "Maßeinheit",
    "Modell",
    "Oe/Oem_Referenznummer(N)",
    "Produktart",
)
_BRAKES = (
    "Bremsscheiben-Aussendurchmesser",
    "Bremsscheibenart",
    "Farbe",
    "Herstellungsland_Und_-Region",
    "Material",
    "Oberflächenbeschaffenheit",
    "Produktlinie",
    "Stärke",
    "Technologie",
)
_TIMING = ("Anwendung", "Breite", "Länge", "Menge", "SAE_Viskosität", "Zähnezahl")

ASPECTS: Mapping[str, frozenset[str]] = {"1": frozenset(_BOTH + _BRAKES), "2": frozenset(_BOTH + _TIMING)}
"""The aspects by category: 1 is car brake component kits, 2 car engine timing kits. The tag O is none of them."""
