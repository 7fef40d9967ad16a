"""The words of titles: products, positions, materials and all that sellers add, as pools to draw from."""

from __future__ import annotations

import re

from karatage.challenges.ebay_2025.generator.pools import Pool, listed

_TABLE = """
brake products 0.75: Bremsscheiben | Bremsbeläge | Bremsensatz | Bremsenset | Bremsscheibe | Bremsen Set
  | Bremsbelagsatz | Bremsscheibensatz | Bremsklötze | Bremsen Kit | Bremsen | Bremsbacken | Bremstrommeln
  | Bremsbackensatz | Bremsenkit | Bremssatz | Bremsen-Set | Bremsscheiben Set | Bremstrommel | Handbremsbacken
  | Bremsbeläge Set | Scheibenbremsbeläge | Bremsen Satz | Bremsscheiben Satz | Bremsanlage | Bremsen Komplettset
  | Feststellbremsbacken | Bremsbelagsatz Scheibenbremse | Bremstrommel Set | Bremsen Paket | Bremsenpaket
  | Bremsscheibenset | Backenbremse | Bremsen Service Kit
timing products 0.75: Zahnriemensatz | Zahnriemen | Steuerkettensatz | Zahnriemenkit | Steuerkette | Zahnriemen Kit
  | Zahnriemen Satz | Steuerkette Kit | Steuerkettensatz Motor | Zahnriemen Set | Kettensatz | Zahnriemenset
  | Steuerketten Kit | Steuerkettenkit | Zahnriemen-Set | Zahnriemen Wechsel Set | Wasserpumpe | Steuerketten Satz
  | Spannrolle | Zahnriemen Wechselset | Nockenwellenversteller | Keilrippenriemensatz | Timing Kit | Umlenkrolle
  | Keilrippenriemen Satz | Steuerkettenspanner | Zahnriemenspanner | Riemensatz | Kettenspanner | Rollensatz
  | Steuersatz | Motorsteuerkette | Kettensatz Steuerkette | Schwingungsdämpfer
brake pairs 0.7: Bremsscheiben + Bremsbeläge | Bremsscheiben & Bremsbeläge | Bremsscheiben + Beläge
  | Bremsscheiben und Bremsbeläge | Scheiben + Beläge | Bremsscheiben + Klötze | Bremstrommeln + Bremsbacken
  | Bremsscheiben mit Bremsbelägen | Scheiben & Klötze
timing pairs 0.7: Zahnriemensatz + Wasserpumpe | Zahnriemen + Wasserpumpe | Zahnriemen & Wasserpumpe
  | Steuerkette + Kettenspanner | Zahnriemenkit + Wapu | Zahnriemensatz und Wasserpumpe
  | Steuerkettensatz + Nockenwellenräder
compound starts 0: Sport | Premium | Tuning | Hochleistungs | Racing | Performance | Marken | Profi | Keramik
brake positions 1: vorne | hinten | Vorderachse | Hinterachse | VA | HA | vorn | Vorne | Hinten | VA + HA
  | vorne und hinten | vorne + hinten | vorne hinten | V+H | VA+HA | vorne links rechts | v+h | hinten und vorne
  | Vorder- und Hinterachse | VA/HA | beidseitig | links | rechts | hinten links | vorne rechts
timing positions 1: motorseitig | links | getriebeseitig | rechts | Nockenwelle | Kurbelwelle | steuerseitig | vorne
  | oben | unten | links und rechts | Einlassseite | Auslassseite
brake extras 0.9: Bremsbeläge | Warnkontakt | Bremsbelägen | Warnkabel | Verschleißsensor | Beläge | Zubehör
  | Radlager | Schrauben | Bremsflüssigkeit | Bremsenreiniger | Montagesatz | Verschleißanzeiger | Handbremsbacken
  | ABS Ring | Sensor | Befestigungsmaterial | Sensorring | Federn | Keramikpaste | Halteblech | Führungsbolzen
  | Spannstifte
timing extras 0.9: Wasserpumpe | Spannrolle | WAPU | Wapu | Umlenkrolle | Keilrippenriemen | Dichtungen | Rollen
  | Schrauben | Kettenspanner | Thermostat | Gleitschienen | Kühlerfrostschutz | Dichtung | Zahnräder | Ölpumpenkette
  | Ölfilter | Nockenwellenrad | Frostschutz | Motoröl | Simmerring | Werkzeug | Versteller | Spanner | Riemen
  | Kettenräder | Nockenwellenversteller | Freilauf | Ventildeckeldichtung
extra signs 1: mit | inkl. | inkl | incl. | m. | inklusive | MIT | samt
brake specials 0.7: hochgekohlt | Sportbremse | verstärkt | mit ABE | TÜV frei | ECE R90 | leise | staubarm
  | geräuscharm | mit Gutachten | Bremssystem ATE | Bremssystem Lucas | System TEITES | Bremssystem Bosch
  | für Sportfahrwerk | langlebig | ohne Warnkontakt | für Anhängerbetrieb | E-geprüft | Bremssystem Brembo
  | eintragungsfrei | fadingfrei | System ATE | Bremssystem TRW | mit KBA-Gutachten
timing specials 0.7: verstärkt | mit Klimaanlage | Verstärkte Ausführung | ohne Klimaanlage | wartungsfrei
  | Komplettsatz | langlebig | PTFE beschichtet | für Motoren ohne Klima | geräuscharm | mit hydraulischem Spanner
  | im Ölbad | Duplex | Simplex | ohne Nockenwellenrad | mit Metalllaufrad | Reparatursatz | öffnungsfrei
discs 1: belüftet | innenbelüftet | voll | massiv | gelocht | geschlitzt | Voll | innen belüftet
  | gelocht + geschlitzt | Belüftet | vollscheibe | gelocht und geschlitzt | genutet | unbelüftet | gelocht & genutet
  | perforiert | hinterlüftet
finishes 1: beschichtet | lackiert | Beschichtet | verzinkt | zinkbeschichtet | Zink-Alu beschichtet | geschwärzt
  | unbeschichtet | korrosionsgeschützt | rostgeschützt | GEOMET beschichtet | geölt | pulverbeschichtet | poliert
  | teilbeschichtet
materials 0.8: Keramik | Grauguss | Carbon | Stahl | Guss | Gusseisen | Edelstahl | Sintermetall | Aluminium
  | organisch | Karbon | GG20 | Kevlar | Sphäroguss
technologies 0.8: Low-Metallic | Ceramic | High Carbon | NAO | Low-Steel | UV-Lack | HC | Dual-Layer | Semi-Metallic
  | Anti-Noise | Low Met | Cross-Drill | Pillar Venting | Direct Vent
colours 0.8: schwarz | rot | silber | gelb | blau | grau | gold | orange | grün | anthrazit
countries 0.8: Made in Germany | Deutschland | Germany | Made in Italy | Made in EU | Italien | Spanien | Polen
  | Japan | Europa | Tschechien | made in Germany | UK | Türkei
part models 1: Typ 1 | Typ 2 | Typ A | Kit 1 | Kit 2 | Pro Kit | Uni XL | Serie 4000 | Evo 2 | Plus | X1 Kit | Basic
applications 0.8: Diesel | Benziner | Ölpumpe | PKW | Dieselmotor | Nockenwelle | Benzinmotoren | Nutzfahrzeuge
  | Hochdruckpumpe | Ausgleichswelle | Transporter | Einspritzpumpe | Motorsport | Wohnmobil
viscosities 0.8: 5W-30 | 5W-40 | 5W30 | 0W-20 | 10W-40 | 0W-30 | 5W40 | 10W40 | 0W30 | 5W-20 | 15W-40 | 0W-40 | 10W-60
timing sizes 1: 3/8" | Gr. 2 | M8 | 1/4" | Gr. 1 | M6 | Größe L | 8mm Teilung | Gr. 3
wheels 1: 15 | 16 | 17 | 14 | 18 | 13 | 19
amounts 0.8: 5 Liter | 5L | 1,5 Liter | 1L | 4 Liter | 5 L | 1x5L | 1 Liter | 4L | 1,5L | 7 Liter | 500 ml | 6 L | 10L
oils 1: Motoröl | Öl | Longlife Öl | Motorenöl
coolants 1: Kühlmittel | Frostschutz | Kühlerfrostschutz | G12+
brake units 0.8: 2x | 2 x | 2 Stück | 4x | 2 Stk. | 1 Satz | 4-teilig | 2er Set | 8-tlg. | 1 Paar | 2 St. | 3er Set
  | 4tlg. | (2 Stück) | 4 Stück | 2 Stk | 6-teilig | 1x | 2-teilig | 12 tlg.
timing units 0.8: 1x | 1 Satz | 5-teilig | 1 Stück | 10-tlg. | 7 tlg. | 8-teilig | 2x | 12-teilig | 1 Stk. | 6tlg.
  | 9-tlg
teeth 0.6: 141 | 120 | 153 | 150 | 137 | 104 | 123 | 130 | 163 | 193 | 116 | 129 | 144 | 154 | 160 | 134 | 145 | 107
  | 253 | 114
diameters 0.7: 288 | 280 | 256 | 312 | 300 | 259 | 253 | 232 | 239 | 247 | 260 | 266 | 286 | 320 | 345 | 294 | 272
  | 278 | 324 | 330 | 340 | 310 | 296 | 276 | 302 | 295 | 264 | 262 | 240 | 258 | 315 | 348 | 370 | 303 | 284 | 245
  | 360 | 350 | 325 | 252 | 268 | 380 | 277 | 305 | 374
thicknesses 0.7: 22 | 25 | 20 | 12 | 24 | 10 | 28 | 26 | 30 | 13 | 9 | 21,8 | 20,5 | 32 | 18 | 23,9 | 14 | 11
widths 0.6: 25 | 30 | 23 | 27 | 20 | 28 | 24 | 22 | 26 | 32 | 19 | 18 | 25,4 | 17 | 29 | 35
sales 0.7: NEU | Neu | TOP | OVP | *NEU* | Qualität | NEU & OVP | komplett | Angebot | ORIGINAL | Original | neu
  | Sparset | SET | Erstausrüsterqualität | OE Qualität | in OE Qualität | günstig | Satz | Komplettset | TOP Qualität
  | NEU! | Markenware | ! | Sparpaket | kostenloser Versand | Premium Qualität | neu & ovp | für Ihr Fahrzeug | AKTION
  | neu und originalverpackt | mit Rechnung | Top-Angebot | vom Fachhändler | Versand frei | SALE | 1A | Profi | *
  | +++ | Auto Ersatzteile | siehe Liste | N/A | 2 Jahre Garantie | B-Ware | Restposten | passend | DHL Versand
  | PKW Teile | sofort lieferbar | bitte Liste beachten | siehe Beschreibung | TÜV | für PKW geeignet | Teil im Set
  | Top Preis | alle Modelle | 1 Jahr Gewährleistung | nur 19,99 | Verschleißteile | wie Original
for signs 0: für | für | für | für | passend für | für | f. | fuer | für | passt für | fits | for | für den
  | passend f. | kompatibel mit | geeignet für
"""
"""A pool each: its name, its steepness, and its words, the commonest first."""


def _pool(entry: str) -> tuple[str, Pool[str]]:
    head, _, words = entry.partition(": ")
    name, _, steepness = head.rpartition(" ")
    return name, Pool(listed(words), float(steepness))


POOLS = dict(_pool(entry) for entry in re.split(r"\n(?=\S)", _TABLE.strip()))
