"""Three small taggers, each with the weaknesses of its kind.

`lexicon` knows words and nothing else. `shape` looks at one token at a time and at how it is written.
`context` looks around, and combines both. None of them sees the gold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from karatage.demo import demo_titles as a

Tagger = Callable[[Sequence[str]], list[str]]

# What somebody would have put together in an afternoon: most makers and models, not all of them.
_WORDS: dict[str, str] = {
    a.MAKER: (
        "ate|brembo|trw|textar|zimmermann|febi|febi bilstein|bosch|meyle|skf|gates|ina|contitech|dayco|"
        "hepu|snr|blue print"
    ),
    a.PRODUCT: (
        "bremsscheiben|bremsbeläge|bremssatz|bremsenset|bremsscheibensatz|bremsklötze|bremsen set|"
        "zahnriemensatz|zahnriemen|steuerkettensatz|steuerkette|zahnriemen kit|bremstrommeln"
    ),
    a.MAKE: "vw|audi|bmw|mercedes|opel|ford|renault|peugeot|skoda|seat|fiat|toyota|volvo|citroën|alfa romeo",
    a.MODEL: (
        "golf|golf 5|passat|passat 3c|touran|polo|a3|a3 8p|a4|a4 b7|a6|3er|3er e90|5er|5er e60|1er|x3|"
        "c-klasse|e-klasse|vito|astra|astra h|corsa|corsa d|zafira|zafira b|vectra|focus|fiesta|mondeo|"
        "transit|clio|clio iii|megane|megane ii|scenic|octavia|octavia ii|fabia|leon|ibiza|punto|ducato|"
        "yaris|corolla|v50|v70|s40|i30|berlingo|206|307|407|mito"
    ),
    a.POSITION: "vorne|hinten|vorn|vorderachse|hinterachse|va|ha",
    a.DISC: "belüftet|innenbelüftet|voll|gelocht",
    a.FINISH: "beschichtet|lackiert|coat z",
    a.INCLUDED: "wasserpumpe|warnkontakt|spannrolle|umlenkrolle",
    a.SPECIAL: "verstärkt|wartungsfrei|hd",
    a.UNITS: "2x|4x|1 satz|2er set",
}
_KNOWN = {entry: aspect for aspect, entries in _WORDS.items() for entry in entries.split("|")}
_LONGEST = max(len(entry.split()) for entry in _KNOWN)


def lexicon(tokens: Sequence[str]) -> list[str]:
    """Look up the longest known words, from left to right."""
    tags = ["O"] * len(tokens)
    at = 0
    while at < len(tokens):
        for size in range(min(_LONGEST, len(tokens) - at), 0, -1):
            aspect = _KNOWN.get(" ".join(tokens[at : at + size]).lower())
            if aspect:
                _put(tags, at, at + size, aspect)
                at += size
                break
        else:
            at += 1
    return tags


# How one token is written, and what that usually means; the first that fits decides.
_SHAPES: tuple[tuple[str, str], ...] = (
    (r"[Øø]\s?\d{3}(mm)?|\d{3}mm", a.DIAMETER),
    (r"\d{2}mm", a.WIDTH),
    (r"(19|20)\d\d(-((19|20)\d\d)?)?", a.YEAR),
    (r"\d{2,3}Z|Z=\d+", a.TEETH),
    (r"\d(x|er)|\d-(teilig|tlg\.)", a.UNITS),
    (r"\w*(satz|scheiben|beläge|klötze|trommeln|kette|riemen|enset|kit)", a.PRODUCT),
    (r"\w*belüftet|voll|massiv", a.DISC),
    (r"vorne?|hinten|(vorder|hinter)achse", a.POSITION),
    (r"[A-Z]{2,4}\d{3,}\w*|\d{6,}|\w\d{2}\d{4,}\w*|[\d.]+-?\d+\.\d+", a.NUMBER),
    (r"[A-Z]\d|[VXZ]\d\d|[1-7]er|\d{3}", a.MODEL),
)


def shape(tokens: Sequence[str]) -> list[str]:
    """Decide each token alone by its form; a number of unknown form is taken to go on with one before it."""
    tags: list[str] = []
    for at, token in enumerate(tokens):
        plain = token.strip(",;")
        aspect = next((name for form, name in _SHAPES if re.fullmatch(form, plain, re.I if name in _WORDS else 0)), "")
        if not aspect and at and plain.isdecimal():
            aspect = f"I-{a.NUMBER}"
        elif aspect:
            aspect = f"B-{aspect}"
        elif plain.isupper() and plain.isalpha() and len(plain) > 1:
            aspect = f"B-{a.MAKER}" if at < 2 else f"B-{a.MAKE}"
        elif plain in ("mm", "Zähne", "Stück"):
            before = tags[-1][2:] if tags and tags[-1] != "O" else a.WIDTH
            aspect = f"I-{before}"
        tags.append(aspect or "O")
    return tags


_MAKES = set(_WORDS[a.MAKE].split("|")) | {"hyundai"}
_MORE_MODELS = a.listed(
    "twingo | laguna | panda | tucson | getz | xsara | meriva | caddy | sprinter | c-max | superb | altea | avensis"
)
_MODEL_TAIL = re.compile(r"[A-Z]\d{1,3}|\d[A-Z]{1,2}|[A-Z]|I{1,3}|IV|VI?|\d|\d{3}|[A-Z]\d[A-Z]?|SW|XL", re.I)
_ORIGINAL = {"original", "orig."}
_FITS = {"für", "fits", "/"}
_WITH = {"mit", "inkl.", "incl."}
_OE = {"oe", "oem", "oe-nr."}


def context(tokens: Sequence[str]) -> list[str]:
    """Start from the lexicon, then let the neighbours decide."""
    low = [token.lower() for token in tokens]
    tags = lexicon(tokens)
    trusted = (a.DIAMETER, a.TEETH, a.UNITS, a.PRODUCT, a.DISC, a.POSITION)
    for at, tag in enumerate(shape(tokens)):
        if tags[at] == "O" and tag[:1] == "B" and tag[2:] in trusted:
            tags[at] = tag
    _makes(low, tags)
    _models(tokens, low, tags)
    _numbers(tokens, low, tags)
    _years(low, tags)
    _sizes(low, tags)
    for at in range(1, len(low)):
        if low[at - 1] in _WITH and tags[at][2:] in (a.PRODUCT, ""):
            tags[at] = f"B-{a.INCLUDED}"
    return _repaired(tags)


def _makes(low: list[str], tags: list[str]) -> None:
    """A make behind ORIGINAL made the part; elsewhere it is the car's."""
    for at, word in enumerate(low):
        if word in _MAKES:
            tags[at] = f"B-{a.MAKER if at and low[at - 1] in _ORIGINAL else a.MAKE}"
    if low and tags[0] == "O" and low[0].isalpha() and tags[1:2] and tags[1].endswith((a.PRODUCT, a.UNITS)):
        tags[0] = f"B-{a.MAKER}"


def _models(tokens: Sequence[str], low: list[str], tags: list[str]) -> None:
    """Models follow makes and each other, and may have a tail: Golf 5, A4 B7, Clio III."""
    open_list = False
    at = 0
    while at < len(tokens):
        kind = tags[at][2:]
        if kind == a.MAKE:
            open_list = True
        elif (
            kind == a.MODEL
            or low[at] in _MORE_MODELS
            or (open_list and tags[at] == "O" and tokens[at][:1].isupper() and tokens[at].isalpha())
        ):
            end = at + 1
            while end < len(tokens) and tags[end][:1] == "I" and tags[end][2:] == a.MODEL:
                end += 1
            if end < len(tokens) and tags[end] == "O" and _MODEL_TAIL.fullmatch(tokens[end]):
                end += 1
            _put(tags, at, end, a.MODEL)
            at, open_list = end, True
            continue
        elif low[at] not in _FITS:
            open_list = False
        at += 1


def _numbers(tokens: Sequence[str], low: list[str], tags: list[str]) -> None:
    """Part numbers: digits in groups; behind OE they are the car maker's."""
    at = 0
    while at < len(tokens):
        end = at
        while (
            end < len(tokens)
            and tags[end] == "O"
            and re.fullmatch(r"(VKMA|P|[A-Z]{0,3}[\d.-]+[A-Z]{0,2}\d?|\d[A-Z]\d|[A-Z])", tokens[end])
        ):
            end += 1
        text = "".join(tokens[at:end])
        years = re.fullmatch(r"((19|20)\d\d)?-?((19|20)\d\d)?-?", text)
        if end > at and sum(sign.isdigit() for sign in text) >= 5 and not years:
            behind_oe = at > 0 and low[at - 1] in _OE
            groups = end - at >= 4 and tokens[at] != "0"
            _put(tags, at, end, a.OE_NUMBER if behind_oe or groups else a.NUMBER)
        at = max(end, at + 1)


def _years(low: list[str], tags: list[str]) -> None:
    for at, word in enumerate(low):
        if not re.fullmatch(r"(19|20)\d\d(-((19|20)\d\d)?)?", word) or tags[at] not in ("O", f"B-{a.YEAR}"):
            continue
        if at + 2 < len(low) and low[at + 1] == "-":
            _put(tags, at, at + 3, a.YEAR)
        else:
            _put(tags, at - 1 if at and low[at - 1] in ("ab", "bis") else at, at + 1, a.YEAR)


def _sizes(low: list[str], tags: list[str]) -> None:
    """Millimetres: three digits are a disc, two a belt; a sign or unit of its own belongs to them."""
    for at, word in enumerate(low):
        found = re.fullmatch(r"(ø?)(\d{2,3})(mm)?", word)
        apart = at + 1 < len(low) and low[at + 1] == "mm"
        sign = at > 0 and low[at - 1] == "ø"
        if found and (found[1] or found[3] or apart or sign):
            _put(tags, at - sign, at + 1 + apart, a.DIAMETER if len(found[2]) == 3 else a.WIDTH)
        if word == "zähne" and at:
            _put(tags, at - 1, at + 1, a.TEETH)
        if word == "stück" and at:
            _put(tags, at - 1, at + 1, a.UNITS)


def _put(tags: list[str], start: int, end: int, aspect: str) -> None:
    tags[start:end] = [f"B-{aspect}", *[f"I-{aspect}"] * (end - start - 1)]


def _repaired(tags: list[str]) -> list[str]:
    """Let every span start with B."""
    out: list[str] = []
    for tag in tags:
        joins = tag[:1] == "I" and out and out[-1][2:] == tag[2:]
        out.append(tag if tag == "O" or tag[:1] == "B" or joins else f"B-{tag[2:]}")
    return out


TAGGERS: dict[str, Tagger] = {"lexicon": lexicon, "shape": shape, "context": context}
