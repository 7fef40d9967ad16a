"""Parts of titles, and the names of their aspects."""

from __future__ import annotations

Part = tuple[str, str]
"""Some words of a title and their aspect; the empty aspect is none."""

Parts = list[Part]

NO = ""
MAKER, PRODUCT, PRODUCT_MODEL = "Hersteller", "Produktart", "Modell"
MAKE, MODEL, YEAR = "Kompatible_Fahrzeug_Marke", "Kompatibles_Fahrzeug_Modell", "Kompatibles_Fahrzeug_Jahr"
NUMBER, OE_NUMBER = "Herstellernummer", "Oe/Oem_Referenznummer(N)"
POSITION, UNITS, EXTRA, SPECIAL = (
    "Einbauposition",
    "Anzahl_Der_Einheiten",
    "Im_Lieferumfang_Enthalten",
    "Besonderheiten",
)
SIZE, UNIT_OF_MEASURE = "Größe", "Maßeinheit"
DIAMETER, DISC, FINISH, THICKNESS = (
    "Bremsscheiben-Aussendurchmesser",
    "Bremsscheibenart",
    "Oberflächenbeschaffenheit",
    "Stärke",
)
COLOUR, COUNTRY, MATERIAL, LINE, TECHNOLOGY = (
    "Farbe",
    "Herstellungsland_Und_-Region",
    "Material",
    "Produktlinie",
    "Technologie",
)
APPLICATION, WIDTH, LENGTH, AMOUNT, VISCOSITY, TEETH = (
    "Anwendung",
    "Breite",
    "Länge",
    "Menge",
    "SAE_Viskosität",
    "Zähnezahl",
)
