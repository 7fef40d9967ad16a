"""Makers of parts, how they write their part numbers, and what they call their lines of products."""

from __future__ import annotations

from dataclasses import dataclass

from karatage.challenges.ebay_2025.generator.pools import Dice, listed, one_of


@dataclass(frozen=True)
class Maker:
    """A maker: how it is written, the shapes of its part numbers (`#` digit, `@` letter), its lines and models."""

    spellings: tuple[str, ...]
    numbers: tuple[str, ...]
    lines: tuple[str, ...] = ()
    models: tuple[str, ...] = ()


_BRAKES = """
ATE / Ate : 24.0###-0###.1 | 13.0460-####.2 | 13.0470-####.2 | 24.01##-0###.1 : PowerDisc | Ceramic
BREMBO / Brembo : 09.####.11 | 08.####.11 | P ## ### | P##### | 09.@###.11 : XTRA | Max | Prime | Beyond : Serie Oro
TRW / TRW Lucas : DF#### | GDB#### | DF####S | GDB##### : COTEC | Electric Blue | DTEC
ZIMMERMANN / Zimmermann / Otto Zimmermann : 100.####.20 | 150.####.52 | 230.####.20 | 400.####.20 | 600.####.20 : \
Coat Z | Black Z | Sport Z | Formula Z | rd:z
TEXTAR / Textar : 92###### | 2####01 | 92######5 | 24###01 : PRO | PRO+ | epad
BOSCH / Bosch : 0 986 479 ### | 0986494### | 0 986 494 ### | 0986479@## | BD#### | BP#### : Prime Line | QuietCast
FEBI BILSTEIN / febi bilstein / FEBI / Febi : ##### | 1#####| 4####
RIDEX / Ridex : 82B0### | 402B0### | 3405B0### : PLUS
MEYLE / Meyle : 115 523 #### | 315 521 #### | 0252####19/@ | 183 521 ####/PD : PD | HD | Platinum
JURID / Jurid : 56####J | 57####J | 562###JC : White
BLUE PRINT / Blue Print : ADG043### | ADH2424## | ADV1843## | ADT343###
FERODO / Ferodo : FDB#### | DDF#### | DDF####C | FDB####A : Eco-Friction | Premier : DS2500 | DS Performance | DS3000
NK / nk : 20#### | 22#### | 31####
A.B.S. / ABS : 1#### | 3#### | 3####OE
MAXGEAR / Maxgear : 19-#### | 19-####MAX
EBC / EBC Brakes : DP2#### | GD#### | D#### | DP#####R : Turbo Groove | Premium | BSD : \
Greenstuff | Redstuff | Yellowstuff | Blackstuff | Ultimax2
DELPHI / Delphi : BG#### | LP#### | BG####C
OPTIMAL / Optimal : BS-####C | BP-##### | BS-####HC
BENDIX / Bendix : 56####B | 57####B
QUARO / Quaro : QD#### | QP#### | QD####HC : Silencio | Ceramic
KAMOKA / Kamoka : 103#### | JQ101####
ABE : C3@###ABE | C1@###ABE
SWAG / Swag : 30 93 #### | 50 91 #### | 20 92 ####
STARK : SKBD-00##### | SKBP-00#####
TAROX : SP####.### | 07##-G88 : Sport Japan : F2000 | G88 | Strada | Zero
HELLA PAGID / Hella Pagid / Pagid : 8DB 355 0##-### | 8DD 355 1##-### | T####
LPR : @1###V | 05P#### | O1###V
VALEO / Valeo : 186### | 301### | 197###
REMSA : 6###.10 | 0###.02
MINTEX / Mintex : MDC#### | MDB#### | MDB#####C
SPIDAN : 80### | 32###
ICER : 18#### | 78BD####
METELLI : 23-#### | 22-####-0
RED LINE / Redline : RL26@0## | 26VW0##
RAICAM : RD0####
BARUM : BAR2##### | BAR1#####
AP RACING : CP####-###
FREMAX : BD-####
CIFAM : 800-### | 822-###-0
ROADHOUSE : 6####.10
ASHIKA : 60-0@-@## | 51-0@-###
JAPANPARTS : DI-@## | PA-###AF
HERTH+BUSS / HERTH+BUSS JAKOPARTS : J330#### | J360####
NIPPARTS : N330#### | J360####
MASTER-SPORT : 24011####1PCS-MS
MAPCO : 15### | 6### | 47###
TOPRAN / Topran : 104 ### | 501 ### | 110 ###
VAICO / Vaico : V10-8#### | V20-4#### | V10-####
DENCKERMANN : B13#### | B11####
STOPTECH : 126.####CSL | 309.0####
GALFER : B1.G###-0###.# | D#####
PROFIT : 5000-#### | 5010-####
"""

_TIMING = """
CONTITECH / ContiTech / Contitech / Conti : CT####K# | CT####WP# | CT####PRO# | CT### | CT####K#PRO
GATES / Gates : K0#####XS | KP#####XS | KP1TH#####XS | 5###XS | K0#####HOB : PowerGrip
SKF / Skf : VKMA 0#### | VKMC 0#### | VKMA0#### | VKMC 0####-1 | VKML 8####
INA / Ina : 530 0### 10 | 5300###30 | 530 0### 09 | 559 0### 30 | 530 0### 31
DAYCO / Dayco : KTB### | KTBWP#### | 94### | KTBWP####K : HT
FEBI BILSTEIN / febi bilstein / FEBI / Febi : ##### | 4#### | 1#####
BOSCH / Bosch : 1 987 948 ### | 1987948### | 1 987 946 ### | 1987949###
IWIS / iwis : 9000####| 5000####
HEPU / Hepu : PK##### | PK#####
MEYLE / Meyle : 151 049 #### | 100 951 #### | 30-51 049 #### : HD
SNR / NTN-SNR / NTN SNR : KD###.## | KDP###.### | GA###.##
SWAG / Swag : 30 92 #### | 99 13 #### | 20 94 ####
RIDEX / Ridex : 307T0### | 1389T0### | 3096W00##
BLUE PRINT / Blue Print : ADG073## | ADC473## | ADV1873##
GK : K98####A | 98####
AISIN / Aisin : TKV-00# | TKT-9## | TKH-00#
FAI / FAI AutoParts : TCK### | TBK###-#### | TCK###WO
MAGNETI MARELLI / Magneti Marelli : MMK##### | 3415000###
RUVILLE / Ruville : 55####70 | 56####74
OPTIBELT : ZRK #### | KT ####
MAPCO : 23### | 41### | 73###/1
BGA : TC####FK | TC####K | CN####
GRAF : KP###-# | PA####
ET ENGINETEAM : RS00## | RV00##
TRISCAN : 8647 ##### | 8645 ####5
KAMOKA / Kamoka : 7000### | 1500###
MAXGEAR / Maxgear : 54-#### | 47-####
VAICO / Vaico : V10-50### | V20-1000#-BEK
TOPRAN / Topran : 113 ### | 302 ### | 500 ###
SASIC : 1754### | 4000###
DOLZ : KD### | 01KD###
METELLI : 30-####-1
AIRTEX : WPK-#########
GENMOT
ELRING / Elring : ###.### | 905.###
JAPANPARTS : KDD-### | SKJ-###
ASHIKA : KCK@## | KASHIKA0##
HERTH+BUSS JAKOPARTS / HERTH+BUSS : J1127### | J111####
STARK : SKTBK-0##### | SKTCK-0#####
BTA : B0####
TEKNOROT
MITSUBOSHI
BANDO : BAN###
CAUTEX : 98####
OSSCA : 1#### | 4####
VEMA : VE5####
"""

_SYLLABLES = listed(
    "Auto | Brem | Kraft | Nor | Tec | Mo | Ber | Ro | Ka | Vi | Sto | Lu | Eu | Par | Max | Dri | Ra | Te | Za"
)
_ENDINGS = listed(
    "tec | parts | line | dur | stop | matic | van | tron | ex | ol | max | pro | gard | tex | mot | son | ix"
)

OTHER_NUMBERS = listed(
    "@@##### | @@-#### | ###.#### | ####-### | @#####@ | @@@ #### | ######## | @@@-####-@ | ##-##### | @## ### ###"
)


def _makers(table: str) -> tuple[Maker, ...]:
    out = []
    for line in table.strip().splitlines():
        names, *rest = (part.strip() for part in line.split(" : "))
        parts = [listed(part) for part in rest]
        spellings = tuple(name.strip() for name in names.split(" / "))
        out.append(Maker(spellings, *(parts or [OTHER_NUMBERS])))
    return tuple(out)


BRAKE_MAKERS, TIMING_MAKERS = _makers(_BRAKES), _makers(_TIMING)
"""The makers of both categories, the commonest first."""


def new_name(dice: Dice) -> str:
    """Make up the name of a small maker that nobody has heard of before."""
    name = one_of(_SYLLABLES, dice) + one_of(_ENDINGS, dice)
    if dice() < 0.3:
        name = one_of(_SYLLABLES, dice) + name.lower()
    return name.upper() if dice() < 0.5 else name
