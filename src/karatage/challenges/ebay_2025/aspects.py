"""The aspects of eBay's challenge, and which of them each category has."""

from __future__ import annotations

from collections.abc import Mapping

MAKER, PRODUCT, PRODUCT_MODEL = "Hersteller", "Produktart", "Modell"
MAKE, MODEL, YEAR = "Kompatible_Fahrzeug_Marke", "Kompatibles_Fahrzeug_Modell", "Kompatibles_Fahrzeug_Jahr"
NUMBER, OE_NUMBER = "Herstellernummer", "Oe/Oem_Referenznummer(N)"
POSITION, UNITS, EXTRA = "Einbauposition", "Anzahl_Der_Einheiten", "Im_Lieferumfang_Enthalten"
SPECIAL, SIZE, UNIT_OF_MEASURE = "Besonderheiten", "Größe", "Maßeinheit"
_BOTH = {
    *(MAKER, PRODUCT, PRODUCT_MODEL, MAKE, MODEL, YEAR, NUMBER, OE_NUMBER),
    *(POSITION, UNITS, EXTRA, SPECIAL, SIZE, UNIT_OF_MEASURE),
}

DIAMETER, THICKNESS = "Bremsscheiben-Aussendurchmesser", "Stärke"
DISC, FINISH, COLOUR = "Bremsscheibenart", "Oberflächenbeschaffenheit", "Farbe"
COUNTRY, MATERIAL, LINE, TECHNOLOGY = "Herstellungsland_Und_-Region", "Material", "Produktlinie", "Technologie"
_BRAKES = {DIAMETER, THICKNESS, DISC, FINISH, COLOUR, COUNTRY, MATERIAL, LINE, TECHNOLOGY}

APPLICATION, WIDTH, LENGTH, AMOUNT = "Anwendung", "Breite", "Länge", "Menge"
VISCOSITY, TEETH = "SAE_Viskosität", "Zähnezahl"
_TIMING = {APPLICATION, WIDTH, LENGTH, AMOUNT, VISCOSITY, TEETH}

ASPECTS: Mapping[str, frozenset[str]] = {"1": frozenset(_BOTH | _BRAKES), "2": frozenset(_BOTH | _TIMING)}
"""The aspects by category: 1 is car brake component kits, 2 car engine timing kits."""

OBSCURE = "O"
"""The tag of tokens that belong to no aspect."""
