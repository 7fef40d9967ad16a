"""Makes, models with their codes and years, engines, and how each make writes its part numbers."""

from __future__ import annotations

from dataclasses import dataclass

from karatage.challenges.ebay_2025.generator.pools import listed


@dataclass(frozen=True)
class VehicleModel:
    """A model: how it is written, the codes of its body, and the years of its making."""

    spellings: tuple[str, ...]
    codes: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True)
class Make:
    """A make.

    Attributes:
        spellings: how it is written.
        models: its models.
        engines: its engines.
        bodies: what it calls its bodies.
        numbers: the shapes of its part numbers: `#` is a digit, `@` a letter.
        relatives: the makes that share parts with it.
    """

    spellings: tuple[str, ...]
    models: tuple[VehicleModel, ...]
    engines: tuple[str, ...]
    bodies: tuple[str, ...]
    numbers: tuple[str, ...]
    relatives: tuple[str, ...]


_NUMBERS = {
    "vag": "1K0 615 ### @ | 1K0615###@@ | 5Q0 698 ### @ | 8E0 615 ### @ | 0#L 198 119 @ | 03L109###@ "
    "| 06H 109 ### @@ | 038 109 ### @ | 1J0698###@ | 04E 109 ### @",
    "bmw": "34 11 6 ### ### | 34116###### | 34 21 6 ### ### | 34216###### | 11 31 7 ### ### | 11317###### "
    "| 1131 8 ### ###",
    "mercedes": "A 204 421 ## 12 | A204421#### | A 000 423 ## 12 | A2712050### | A 651 050 ## 11 | 205 421 ## 12 "
    "| A0044206### | A 271 052 ## 16",
    "opel": "93 18 # ### | 569 ### | 13 50 # ### | 55 56 # ### | 95 5## ### | 1606 ### | 24 42 # ###",
    "ford": "1 ### ### | 1S4Q 6268 @@ | AV61 1125 @@ | 2 ### ### | 8V41 2C026 @@ | XS4Q-6268-@@ | 5 ### ###",
    "renault": "77 01 4## ### | 7701 ### ### | 130C1####R | 40 20 6 ### 0R | 402069###R | 119A0####R | 82 00 ### ###",
    "psa": "4249.## | 4246 @# | 0831.@# | 1609 ### 80 | 16 099 ### 80 | 4254 ## | 0816.@# | 1617 ### 80",
    "fiat": "71 77 # ### | 5185#### | 7175#### | 55 22 # ### | 7701 #### | 5048#####",
    "toyota": "43512-0@0## | 43512-##### | 04465-##### | 13568-##### | 04466-0@0## | 42431-#####",
    "korea": "51712-#@### | 58101-#@@## | 24312-##### | 24410-##### | 58411-#@###",
    "japan": "40206-@@### | D1060-@@### | 13028-@@##@ | 45251-@@@-@## | 14400-@@@-@## | 4351A### | 16806-@@@##",
    "volvo": "3 ### ### | 31 ### ### | 306 #### | 31 40 # ### | 8 642 ###",
    "other": "@@@ ### ### | ### ### ## | LR0##### | #.### ### | 4H23-2C###-@@",
}

_ENGINES = {
    "vag": "1.9 TDI | 2.0 TDI | 1.6 TDI | 1.4 TSI | 1.6 | 1.4 16V | 1.2 TSI | 1.8 T | 2.0 FSI | 1.8 TSI "
    "| 2.5 TDI | 2.0 TFSI | 3.0 TDI | 1.4 TDI | 1.0 TSI | 1.6 FSI | 2.7 TDI | 1.9 SDI | 1.5 TSI | 2.8 V6 "
    "| 3.2 FSI",
    "bmw": "320d | 318i | 318d | 320i | 520d | 530d | 325i | 330d | 116i | 118d | 525d | 323i | 120d | 316i "
    "| 328i | 535d | M47 | N47 | M57 | N46 | N57 | B47 | N20",
    "mercedes": "200 CDI | 220 CDI | 180 Kompressor | 200 Kompressor | 180 CDI | 250 CDI | 320 CDI | 350 CDI | OM651 "
    "| OM646 | M271 | 280 CDI | 111 CDI | 313 CDI | M274",
    "opel": "1.9 CDTI | 1.7 CDTI | 1.3 CDTI | 1.6 16V | 1.8 16V | 1.4 | 1.2 | 2.0 DTI | 1.6 | 1.4 Turbo "
    "| 2.0 CDTI | Z19DTH | 1.0 12V",
    "ford": "1.6 TDCi | 2.0 TDCi | 1.8 TDCi | 1.6 16V | 1.4 16V | 2.2 TDCi | 1.0 EcoBoost | 1.6 Ti | 1.5 TDCi "
    "| 2.4 TDCi | 1.8 TDDI",
    "renault": "1.5 dCi | 1.9 dCi | 1.6 16V | 1.4 16V | 1.2 16V | 2.0 dCi | 2.2 dCi | 1.2 TCe | K4M | K9K | F9Q",
    "psa": "1.6 HDI | 2.0 HDI | 1.4 HDI | 1.6 16V | 2.2 HDI | 1.6 VTI | 1.6 THP | 1.4 | 2.7 HDI | 1.8 16V "
    "| 1.2 PureTech | EP6",
    "fiat": "1.3 JTD | 1.9 JTD | 1.2 8V | 1.4 16V | 2.3 JTD | 1.3 Multijet | 1.9 JTDM | 1.4 T-Jet | 2.0 JTD "
    "| 1.6 Multijet",
    "toyota": "2.0 D-4D | 1.4 D-4D | 2.2 D-4D | 1.3 VVT-i | 1.6 VVT-i | 1.8 VVT-i | 1.33",
    "korea": "1.6 CRDi | 2.0 CRDi | 1.5 CRDi | 1.4 CVVT | 1.6 GDI | 2.2 CRDi | 1.1 | 1.7 CRDi",
    "japan": "2.0 DI-D | 1.5 dCi | 1.6 16V | 2.2 i-CTDi | 2.0 MZR | 2.2 MZR-CD | 1.4 i-DSI | 1.2 DIG-T | 2.2 dCi "
    "| 1.8 i-VTEC",
    "volvo": "2.4 D5 | 1.6 D | 2.0 D | 2.4 D | 2.5 T | D5244T | 1.8 | 2.0 T",
    "other": "2.7 TDV6 | 2.2 D | 3.0 V6 | 2.0 | 2.5 TD5 | 0.8 CDI | 1.6",
}

_BODIES = {
    "vag": "Variant | Avant | Kombi | Limousine | Cabrio | Sportback | quattro",
    "bmw": "Touring | Coupe | Cabrio | Limousine | xDrive",
    "mercedes": "T-Modell | Kombi | Limousine | Coupe | Cabrio",
    "opel": "Caravan | Kombi | GTC | Sports Tourer | CC",
    "ford": "Turnier | Kombi | Kasten | Cabrio",
    "renault": "Grandtour | Kombi | Kasten | Coupe",
    "psa": "SW | Break | Kombi | CC | Kasten",
    "fiat": "Kasten | Kombi | Sportwagon | Bus",
}
_OTHER_BODIES = "Kombi | Coupe | Limousine | 4x4 | Cabrio"

_RELATIVES = listed(
    "VW AUDI SEAT SKODA | PEUGEOT CITROEN FIAT | RENAULT NISSAN DACIA OPEL | FORD VOLVO MAZDA | HYUNDAI KIA "
    "| TOYOTA LEXUS DAIHATSU | MERCEDES-BENZ SMART | BMW MINI | OPEL CHEVROLET SAAB FIAT | FIAT LANCIA IVECO "
    "| MITSUBISHI SMART VOLVO | CHRYSLER JEEP DODGE | SUZUKI OPEL SUBARU | PORSCHE VW AUDI | FORD PEUGEOT CITROEN"
)
"""Makes that share parts, and so stand beside each other in titles."""

_TABLE = """
* VW / Volkswagen : vag
Golf 4/Golf IV; 1J1 1J5; 97-06 | Golf 5/Golf V; 1K1; 03-09 | Golf 6/Golf VI; 5K1 AJ5; 08-13
Golf 7/Golf VII; 5G1 BQ1; 12-20 | Passat 3C/Passat B6; 3C2 3C5; 05-10 | Polo 9N/Polo; 9N 9N3; 01-09
Touran/Touran I; 1T1 1T2; 03-10 | T5/Transporter T5; 7H 7E 7J; 03-15 | Polo 6R/Polo V; 6R1 6C1; 09-17
Caddy III/Caddy 3; 2KA 2KH; 04-15 | Tiguan; 5N_ AD1; 07-18 | Passat 3B/Passat B5; 3B2 3BG; 96-05
Golf 3/Golf III; 1H1 1H5; 91-98 | Sharan; 7M8 7N1; 95-10 | T4/Transporter T4; 70A 7DB; 90-03
Passat B8/Passat 3G; 3G2 3G5; 14-22 | Touareg; 7LA 7P5; 02-18 | Golf Plus; 5M1 521; 05-14 | Lupo; 6X1 6E1; 98-05
Bora; 1J2 1J6; 98-05 | Jetta/Jetta III; 1K2; 05-10 | Fox; 5Z1; 05-11 | New Beetle; 9C1 1C1; 98-10
Scirocco; 137 138; 08-17 | Eos; 1F7; 06-15 | Crafter; 2E_ 2F_; 06-16 | UP/Up!; 121 BL1; 11-20 | Amarok; 2HA; 10-20
Multivan; 7HM; 03-15 | Touran II; 5T1; 15-22 | CC; 358; 11-16 | Phaeton; 3D_; 02-16 | Vento; 1H2; 91-98
T6; SGF SGM; 15-22 | T-Roc; A11; 17-24 | Arteon; 3H7; 17-23 | Polo 6N; 6N1 6N2; 94-01 | Caddy IV; SAA SAJ; 15-20
LT 28-35; 2DA; 96-06
* AUDI / Audi : vag
A3/A3 8P; 8P1 8PA; 03-12 | A4 B6/A4; 8E2 8E5; 00-04 | A4 B7; 8EC 8ED; 04-08 | A4 B8; 8K2 8K5; 07-15
A6 C6/A6 4F; 4F2 4F5; 04-11 | A3 8L/A3; 8L1; 96-03 | A6 C5/A6 4B; 4B2 4B5; 97-05 | A4 B5; 8D2 8D5; 94-01
A5; 8T3 8F7; 07-17 | A1; 8X1 8XA; 10-18 | TT; 8N3 8J3; 98-14 | Q5; 8RB; 08-17 | A6 C7/A6 4G; 4G2 4G5; 10-18
Q7; 4LB; 06-15 | A8; 4E_ 4H_; 02-17 | A2; 8Z0; 00-05 | Q3; 8UB; 11-18 | A3 8V; 8V1 8VA; 12-20 | 80; 89 8C B4; 86-96
Allroad; 4BH 4FH; 00-11 | A4 B9; 8W2 8W5; 15-23 | A7; 4GA; 10-18 | 100; 4A C4; 90-94 | S3; 8P1; 06-12
RS6; 4F5; 08-10
* BMW / B.M.W. : bmw
3er E46/E46; 346L 346K; 98-05 | 3er E90/E90; E91 E92 E93; 05-13 | 5er E39/E39; E39; 95-04 | 5er E60/E60; E61; 03-10
1er E87/1er; E81 E82 E87; 04-12 | X5 E53/X5; E53; 00-06 | 3er E36/E36; E36; 90-99 | X3 E83/X3; E83; 03-11
5er F10/F10; F11; 10-17 | 3er F30/F30; F31 F34; 11-19 | X5 E70; E70; 06-13 | X1; E84 F48; 09-20
1er F20; F20 F21; 11-19 | 7er; E38 E65 F01; 94-15 | Z3; E36; 95-03 | Z4; E85 E89; 03-16 | X3 F25; F25; 10-17
6er; E63 E64; 03-10 | 2er; F22 F45 F46; 13-21 | 5er E34; E34; 87-95 | 4er; F32 F33 F36; 13-20 | X6; E71; 08-14
3er; G20 G21; 18-24 | M3; E46 E92; 00-13
* MERCEDES-BENZ / Mercedes / MERCEDES / Mercedes Benz / MB : mercedes
C-Klasse W203/W203; S203 CL203; 00-07 | E-Klasse W211/W211; S211; 02-09 | C-Klasse W204/W204; S204; 07-14
A-Klasse W169/W169; W169; 04-12 | A-Klasse W168/W168; W168; 97-04 | Vito W639/Vito; W639 W638; 96-14
Sprinter 906/Sprinter; 906 901-905; 95-18 | B-Klasse W245/W245; W245; 05-11 | E-Klasse W210/W210; S210; 95-03
E-Klasse W212/W212; S212; 09-16 | C-Klasse W202/W202; S202; 93-01 | SLK; R170 R171; 96-11 | CLK; C208 C209; 97-10
ML W163/M-Klasse W163; W163; 98-05 | ML W164/M-Klasse W164; W164; 05-11 | S-Klasse; W220 W221; 98-13
Viano; W639; 03-14 | C-Klasse W205/W205; S205; 14-21 | 190; W201; 82-93 | 124er/W124; S124 C124; 84-96
GLK; X204; 08-15 | CLS; C219 C218; 04-17 | Citan; W415; 12-21 | A-Klasse W176; W176; 12-18 | SL; R129 R230; 89-11
* OPEL / Opel : opel
Astra H; A04 L48 L35; 04-10 | Corsa C; X01 F08; 00-06 | Astra G; T98 F69 F48; 98-05 | Corsa D; S07; 06-14
Zafira B; A05; 05-14 | Vectra C; Z02; 02-08 | Zafira A; T98 F75; 99-05 | Insignia/Insignia A; G09; 08-17
Meriva A; X03; 03-10 | Astra J; P10; 09-15 | Signum; Z03; 03-08 | Vectra B; J96; 95-02 | Corsa B; S93; 93-00
Vivaro; X83; 01-14 | Combo; X01 X12; 01-18 | Agila; H00 H08; 00-14 | Meriva B; S10; 10-17 | Tigra; X04; 04-09
Omega B; V94; 94-03 | Movano; X70 X62; 98-18 | Mokka; J13; 12-19 | Astra F; T92; 91-98 | Frontera; U99; 98-04
Adam; M13; 12-19 | Antara; L07; 06-15 | Astra K; B16; 15-22 | Corsa E; X15; 14-19 | Zafira C/Zafira Tourer; P12; 11-19
* FORD / Ford : ford
Focus II/Focus 2; DA_ HCP; 04-11 | Fiesta V/Fiesta 5; JH_ JD_; 01-08 | Focus/Focus I; DAW DBW; 98-04
Mondeo III/Mondeo 3; B5Y BWY; 00-07 | C-Max; DM2; 07-10 | Mondeo IV/Mondeo 4; BA7; 07-15
Fiesta VI/Fiesta 6; CB1 CCN; 08-17 | Transit; FA_ FM_ TTG; 00-14 | Focus III/Focus 3; CB8 CEW; 10-18
Galaxy; WGR WA6; 95-15 | KA/Ka; RB_ RU8; 96-16 | Kuga; DM2 CBV; 08-19 | S-Max; WA6; 06-14 | Fusion; JU_; 02-12
Transit Connect; P65 TC7; 02-13 | Focus C-Max; DM2; 03-07 | Escort; GAL; 90-00 | Fiesta IV; JA_ JB_; 95-02
B-Max; JK; 12-17 | Ranger; ES TKE; 06-20 | Grand C-Max; DXA; 10-19 | EcoSport; JK8; 12-22 | Maverick; _; 01-07
Tourneo Custom; TTF; 12-23
* RENAULT / Renault : renault
Clio II/Clio 2; BB0 CB0; 98-05 | Megane II/Megane 2; BM0 KM0; 02-09 | Clio III/Clio 3; BR0 KR0; 05-12
Scenic II; JM0; 03-09 | Twingo; C06 CN0; 93-14 | Laguna II; BG0 KG0; 01-07 | Kangoo; KC0 KW0; 97-18
Master II/Master; FD JD; 98-10 | Trafic II/Trafic; FL JL; 01-14 | Megane III; BZ0 KZ0; 08-16 | Espace IV; JK0; 02-15
Modus; JP0; 04-12 | Laguna III; BT0 KT0; 07-15 | Megane I/Megane; BA0 DA0; 95-03 | Clio IV; BH_ KH_; 12-19
Captur; J5_; 13-19 | Scenic III; JZ0; 09-16 | Fluence; L30; 10-16 | Koleos; HY0; 08-16 | Twingo III; BCM; 14-22
Kadjar; HA_; 15-22
* PEUGEOT / Peugeot : psa
206; 2A/C 2E/K; 98-09 | 307; 3A/C 3E 3H; 00-08 | 207; WA_ WC_; 06-13 | 308; 4A_ 4C_ T9; 07-21 | 407; 6D_ 6E_; 04-11
406; 8B 8E/F; 95-04 | Partner; 5 K; 96-18 | 306; 7B N3; 93-02 | 208; CA_ CC_; 12-19 | 3008; 0U_; 09-16
106; 1A 1C; 91-04 | 107; PM_; 05-14 | 5008; 0U_ 0E_; 09-17 | Boxer; 230 244 250; 94-20 | Expert; VF3; 95-16
607; 9D; 00-10 | 2008; CU_; 13-19 | 508; 8D_; 10-18 | 206 SW; 2E/K; 02-07 | 307 SW; 3H; 02-08 | 807; E; 02-14
1007; KM_; 05-09 | Bipper; AA_; 08-17 | 108; _; 14-21 | 4007; GP_; 07-12 | 206+; T3E; 09-13
* CITROEN / Citroën / Citroen / CITROËN : psa
C3; FC_ SC_; 02-16 | C4; LC_ B7; 04-18 | Berlingo; MF B9; 96-18 | C5; DC_ RD_; 01-17 | Xsara Picasso; N68; 99-10
C4 Picasso; UD_; 06-13 | Xsara; N1 N0; 97-05 | Saxo; S0 S1; 96-04 | Jumper; 230 244 250; 94-20 | C2; JM_; 03-09
C1; PM_; 05-14 | C8; EA_; 02-14 | Jumpy; BS BU VF7; 94-16 | Xantia; X1 X2; 93-03 | DS3; SA_; 09-15
C-Crosser; EP_; 07-12 | Nemo; AA_; 08-17 | C3 Picasso; SH_; 09-17 | DS4; NX_; 11-15 | C6; TD_; 05-12
C-Elysee; DD_; 12-21 | DS5; KF_; 11-15
* SKODA / Skoda / ŠKODA : vag
Octavia II/Octavia 2; 1Z3 1Z5; 04-13 | Fabia/Fabia I; 6Y2 6Y5; 99-08 | Octavia/Octavia I; 1U2 1U5; 96-10
Superb/Superb II; 3T4 3T5; 08-15 | Fabia II; 542 545; 06-14 | Roomster; 5J7; 06-15 | Octavia III; 5E3 5E5; 12-20
Yeti; 5L; 09-17 | Rapid; NH3 NH1; 12-19 | Citigo; NF1; 11-19 | Felicia; 6U1; 94-01 | Superb III; 3V3 3V5; 15-23
Fabia III; NJ3; 14-21 | Kodiaq; NS7; 16-23 | Karoq; NU7; 17-24
* SEAT / Seat : vag
Leon/Leon 1P; 1P1; 05-12 | Ibiza III; 6L1; 02-09 | Ibiza IV; 6J5 6P1; 08-17 | Altea; 5P1; 04-15
Leon 1M/Leon I; 1M1; 99-06 | Toledo; 1M2 5P2; 98-09 | Alhambra; 7V8 710; 96-20 | Cordoba; 6L2 6K2; 93-09
Altea XL; 5P5 5P8; 06-15 | Arosa; 6H1; 97-04 | Exeo; 3R2 3R5; 08-13 | Leon 5F/Leon III; 5F1 5F8; 12-20
Mii; KF1; 11-19 | Ibiza II; 6K1; 93-02 | Ateca; KH7; 16-23 | Inca; 6K9; 95-03 | Arona; KJ7; 17-24
* FIAT / Fiat : fiat
Punto; 188 176; 93-12 | Ducato; 244 250 230; 94-20 | Grande Punto; 199; 05-12 | Stilo; 192; 01-10
Panda; 169 312; 03-20 | Bravo; 198 182; 95-14 | 500; 312; 07-20 | Doblo; 119 263; 01-18 | Croma; 194; 05-11
Idea; 350; 03-12 | Multipla; 186; 99-10 | Seicento; 187; 98-10 | Scudo; 220 270; 96-16 | Marea; 185; 96-07
500L; 351 352; 12-20 | Brava; 182; 95-03 | Fiorino; 225; 07-18 | Sedici; FY_; 06-14 | Tipo; 356; 15-22
Ulysse; 220 179; 94-11 | 500X; 334; 14-22
* TOYOTA / Toyota : toyota
Yaris; P1 P9 P13; 99-20 | Corolla; E12 E11 E15; 97-13 | Avensis; T25 T22 T27; 97-18 | Auris; E15 E18; 06-18
RAV 4/RAV4; A2 A3 A4; 00-18 | Aygo; B1 B4; 05-21 | Verso; R2; 09-18 | Corolla Verso; R1 E12; 01-09
Prius; W2 W3; 03-15 | Land Cruiser; J12 J15; 02-20 | Celica; T23; 99-05 | Hilux; N1 N2; 05-15 | Carina E; T19; 92-97
Hiace; H1 H2; 95-12 | iQ; J1; 08-15 | MR2; W3; 99-07 | Previa; R3; 00-06 | Starlet; P9; 96-99 | C-HR; X1; 16-23
* VOLVO / Volvo : volvo
V70 II/V70; 285 SW; 00-08 | V50; 545 MW; 04-12 | S40 II/S40; 544 MS; 04-12 | S60; 384; 00-10 | XC90; 275; 02-14
V40; 645 525; 95-19 | V70 III; 135 BW; 07-16 | XC60; 156; 08-17 | C30; 533; 06-12 | S80; 184 124; 98-16
XC70; 295 136; 00-16 | 850; 854 855; 91-97 | C70; 873 542; 97-13 | V60; 155 157; 10-18 | S70; 874; 96-00
940; 944 945; 90-98
* HYUNDAI / Hyundai : korea
i30; FD GD; 07-17 | Tucson; JM TL; 04-20 | Getz; TB; 02-11 | Santa Fe; SM CM; 00-12 | i20; PB PBT; 08-15
i10; PA BA; 07-19 | ix35; LM EL; 09-15 | Matrix; FC; 01-10 | Accent; LC MC; 99-10 | Elantra; XD; 00-06
Atos; MX; 98-08 | Coupe; GK RD; 96-09 | ix20; JC; 10-19 | H-1; TQ A1; 97-20 | Sonata; EF NF; 98-10 | i40; VF; 11-19
Terracan; HP; 01-08 | Trajet; FO; 99-08 | Kona; OS; 17-23
* KIA / Kia : korea
Ceed/Cee'd; ED JD; 06-18 | Sportage; K00 JE SL QL; 94-20 | Picanto; BA TA; 04-17 | Rio; DC JB UB; 00-17
Sorento; JC XM; 02-15 | Carens; FJ UN RP; 00-19 | Cerato; LD; 04-09 | Carnival; UP VQ; 99-14 | Soul; AM PS; 09-19
Venga; YN; 10-19 | Optima; TF; 10-15 | Stonic; YB; 17-23
* NISSAN / Nissan : japan
Micra K12/Micra; K12; 02-10 | Qashqai; J10 J11; 06-20 | X-Trail; T30 T31; 01-13 | Almera; N16 N15; 95-06
Primera; P11 P12; 96-08 | Note; E11 E12; 06-19 | Primastar; X83; 01-14 | Juke; F15; 10-19 | Navara; D40; 04-15
Micra K11; K11; 92-03 | Interstar; X70; 02-10 | NV200; M20; 10-19 | Pathfinder; R51; 05-14 | Terrano; R20; 93-07
350Z; Z33; 02-09 | Pulsar; C13; 14-18 | Almera Tino; V10; 00-06 | Patrol; Y61; 97-13 | Murano; Z50; 03-08
* MAZDA / Mazda : japan
3; BK BL BM; 03-18 | 6; GG GY GH GJ; 02-18 | 2; DY DE; 03-14 | 5; CR19 CW; 05-15 | 323; BJ BA; 94-04
626; GF GW; 97-02 | MX-5; NA NB NC ND; 89-20 | CX-7; ER; 06-13 | CX-5; KE KF; 12-22 | Premacy; CP; 99-05
121; JASM; 96-03 | CX-3; DK; 15-21 | RX-8; SE; 03-12 | MPV; LW; 99-06 | Demio; DW; 98-03
* HONDA / Honda : japan
Civic; EJ EP EU FN FK; 95-17 | Accord; CL CM CU; 98-15 | Jazz; GD GE; 01-15 | CR-V; RD1 RD5 RE; 95-12
FR-V; BE; 04-09 | HR-V; GH; 98-06 | CR-Z; ZF1; 10-16 | Stream; RN; 01-06 | Prelude; BB; 92-00 | Legend; KB; 06-12
S2000; AP1; 99-09 | Insight; ZE2; 09-14
* MITSUBISHI / Mitsubishi : japan
Colt; Z3_ Z2_; 02-12 | Outlander; CU CW; 03-12 | Pajero; V6 V7 V8; 99-18 | Lancer; CS CY; 03-15 | Carisma; DA_; 95-06
Space Star; DG_ A0_; 98-20 | L200; K_T KA_T; 96-15 | ASX; GA_W; 10-20 | Galant; EA_; 96-04 | Grandis; NA_W; 04-11
Space Wagon; N3_; 91-04 | Eclipse; D3_; 95-99
* SUZUKI / Suzuki : japan
Swift; EZ MZ FZ; 05-17 | Grand Vitara; FT JT; 98-15 | Jimny; FJ; 98-18 | SX4; EY GY; 06-14 | Ignis; FH MH; 00-08
Alto; FF GF; 02-14 | Wagon R+; MM; 00-08 | Liana; ER; 01-07 | Vitara; ET TA LY; 88-22 | Splash; EX; 08-15
Baleno; EG; 95-02
* ALFA ROMEO / Alfa Romeo / Alfa : fiat
147; 937; 00-10 | 156; 932; 97-06 | 159; 939; 05-11 | GT; 937; 03-10 | Mito/MiTo; 955; 08-18 | 166; 936; 98-07
Giulietta; 940; 10-20 | 145; 930A; 94-01 | Brera; 939; 06-10 | GTV; 916C; 95-05 | Spider; 916S 939; 95-10
146; 930B; 94-01 | 155; 167; 92-97 | 164; 164; 87-98
* DACIA / Dacia : renault
Logan; LS_ KS_; 04-20 | Sandero; BS_; 08-20 | Duster; HS_ HM_; 10-20 | Logan MCV; KS_; 07-20 | Lodgy; JS_; 12-20
Dokker; KE_; 12-20
* MINI / Mini : bmw
Cooper; R50 R53; 01-06 | One; R50 R56; 01-13 | Cooper S; R53 R56; 02-13 | Clubman; R55; 07-14 | Countryman; R60; 10-16
Cabrio; R52 R57; 04-15 | Cooper D; R56; 07-13 | John Cooper Works; R56; 08-13
* SMART / Smart : mercedes
Fortwo; 450 451 453; 98-20 | Forfour; 454 453; 04-20 | Roadster; 452; 03-05 | City-Coupe; 450; 98-04
* CHEVROLET / Chevrolet / Daewoo : opel
Matiz; M100 M200 KLYA; 98-11 | Aveo; T200 T250 T300; 03-15 | Captiva; C100 C140; 06-18 | Cruze; J300 J305; 09-16
Lacetti; J200; 03-11 | Kalos; KLAS; 02-08 | Nubira; J100 J150; 97-09 | Spark; M300; 10-15 | Orlando; J309; 10-17
Lanos; KLAT; 97-04
* PORSCHE / Porsche : vag
Cayenne; 9PA 92A; 02-17 | Boxster; 986 987; 96-12 | 911; 996 997; 97-12 | Panamera; 970; 09-16 | Cayman; 987C; 05-13
944; 944; 81-91 | Macan; 95B; 14-22
* LAND ROVER / Land Rover : other
Freelander; LN L359; 98-14 | Range Rover Sport; L320; 05-13 | Discovery III/Discovery; L319 LJ; 98-16
Defender; L316; 90-16 | Range Rover; L322; 02-12 | Range Rover Evoque/Evoque; L538; 11-19
* IVECO / Iveco : fiat
Daily; III IV V; 99-14 | Daily IV; 35C 50C; 06-11 | Massif; _; 08-11
* SUBARU / Subaru : japan
Impreza; GD GG GR; 00-14 | Forester; SF SG SH; 97-13 | Legacy; BE BP BM; 98-14 | Outback; BL BR; 03-14
Justy; G3X; 03-10 | XV; GP; 12-17
* SAAB / Saab : volvo
9-3; YS3D YS3F E79; 98-15 | 9-5; YS3E; 97-10 | 900; 900; 93-98 | 9000; 9000; 84-98
* JEEP / Jeep : other
Grand Cherokee; WJ WH WK; 99-18 | Cherokee; KJ KK XJ; 84-13 | Wrangler; TJ JK; 96-18 | Compass; MK49; 06-16
Renegade; BU; 14-22
* CHRYSLER / Chrysler : other
Voyager; RG GS; 95-08 | 300C/300 C; LX; 04-12 | PT Cruiser; PT; 00-10 | Sebring; JS; 06-10 | Stratus; JA; 94-01
Neon; PL; 94-06
* JAGUAR / Jaguar : other
S-Type; X200 CCX; 99-08 | X-Type; CF1 X400; 01-09 | XF; X250; 08-15 | XJ; X350; 03-09 | XK; X150; 06-14
* LANCIA / Lancia : fiat
Ypsilon; 843 312; 03-20 | Musa; 350; 04-12 | Delta; 844; 08-14 | Lybra; 839; 99-05 | Phedra; 179; 02-10
Thesis; 841; 02-09
* DODGE / Dodge : other
Caliber; PM; 06-13 | Nitro; KA; 06-12 | Journey; JC; 08-16 | Ram 1500; DR; 02-08
* LEXUS / Lexus : toyota
IS; XE1 XE2; 99-13 | RX; U3 AL1; 03-15 | CT 200h; ZWA10; 10-20 | GS; S16 S19; 97-11
* DAIHATSU / Daihatsu : toyota
Sirion; M1 M3; 98-13 | Cuore; L7 L276; 98-13 | Terios; J1 J2; 97-14 | YRV; M2; 00-05 | Materia; M4; 06-11
* ROVER / Rover / MG : other
75; RJ; 99-05 | 25; RF; 99-05 | 45; RT; 00-05 | ZR; _; 01-05 | MGF; RD; 95-02
"""


def _model(text: str) -> VehicleModel:
    names, codes, years = (part.strip() for part in text.split(";"))
    first, last = (int(year) for year in years.split("-"))
    century = [year + (1900 if year > 50 else 2000) for year in (first, last)]
    known = tuple(code for code in codes.split() if code != "_")
    return VehicleModel(tuple(name.strip() for name in names.split("/")), known, *century)


def _makes() -> tuple[Make, ...]:
    out = []
    for paragraph in _TABLE.strip().split("* ")[1:]:
        head, _, body = paragraph.partition("\n")
        names, _, group = head.partition(":")
        models = tuple(_model(text) for text in body.strip().replace("\n", "|").split("|"))
        spellings = tuple(name.strip() for name in names.split("/"))
        group = group.strip()
        bodies = listed(_BODIES.get(group, _OTHER_BODIES))
        near = [line.split() for line in _RELATIVES if spellings[0] in line.split()]
        relatives = tuple(name for line in near for name in line if name != spellings[0])
        engines, numbers = listed(_ENGINES[group]), listed(_NUMBERS[group])
        out.append(Make(spellings, models, engines=engines, bodies=bodies, numbers=numbers, relatives=relatives))
    return tuple(out)


MAKES = _makes()
"""All makes, the commonest first, and so the models of each."""
