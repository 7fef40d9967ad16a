"""Tagging schemes as classes of tokens, as seqeval's strict mode reads them.

The patterns are Karatage's own tables (`karatage.claims.schemes`) in seqeval's format, so the columnar decoder and
these classes cannot diverge. Subclasses may have other patterns or rules; they are read token by token.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from karatage.claims import SCHEMES, SEQEVAL_IOE1, Scheme

__all__ = [
    "BILOU",
    "IOB1",
    "IOB2",
    "IOBES",
    "IOE1",
    "IOE2",
    "Entities",
    "Entity",
    "Prefix",
    "Prefixes",
    "Tag",
    "Token",
    "Tokens",
    "auto_detect",
]


@dataclass(eq=False, repr=False)
class Entity:
    """An entity in a sentence, from `start` up to but not including `end`."""

    sent_id: int
    start: int
    end: int
    tag: str

    def __repr__(self) -> str:
        return f"({self.sent_id}, {self.tag}, {self.start}, {self.end})"

    def __eq__(self, other: Any) -> bool:
        return bool(self.to_tuple() == other.to_tuple())

    def __hash__(self) -> int:
        return hash(self.to_tuple())

    def to_tuple(self) -> tuple[int, str, int, int]:
        """Return what makes two entities equal."""
        return self.sent_id, self.tag, self.start, self.end


class Prefix(enum.Flag):
    """The letter of a tag: the position of the token in an entity."""

    I = enum.auto()  # noqa: E741  # the tags' own letters
    O = enum.auto()  # noqa: E741
    B = enum.auto()
    E = enum.auto()
    S = enum.auto()
    U = enum.auto()
    L = enum.auto()
    ANY = I | O | B | E | S | U | L


Prefixes = dict(Prefix.__members__)


class Tag(enum.Flag):
    """Whether two adjacent tags have the same type."""

    SAME = enum.auto()
    DIFF = enum.auto()
    ANY = SAME | DIFF


class Token:
    """One tag, split into prefix and type, with rules about the previous tag; the base class of all schemes.

    A pattern is (prefix of the previous tag, prefix of this tag, relation of their types).
    """

    allowed_prefix: Any = None
    start_patterns: Any = None
    inside_patterns: Any = None
    end_patterns: Any = None

    def __init__(self, token: str, suffix: bool = False, delimiter: str = "-") -> None:
        self.token = token
        self.prefix = Prefixes[token[-1] if suffix else token[0]]
        self.tag = (token[:-1] if suffix else token[1:]).strip(delimiter) or "_"

    def __repr__(self) -> str:
        return self.token

    def is_valid(self) -> bool:
        """Raise if the scheme does not have this prefix."""
        if self.prefix in self.allowed_prefix:
            return True
        allowed = str(self.allowed_prefix).replace("Prefix.", "")
        raise ValueError(f"Invalid token is found: {self.token}. Allowed prefixes are: {allowed}.")

    def is_start(self, prev: Token) -> bool:
        """Return whether an entity starts here."""
        return self.check_patterns(prev, self.start_patterns)

    def is_inside(self, prev: Token) -> bool:
        """Return whether the entity of the previous tag continues here."""
        return self.check_patterns(prev, self.inside_patterns)

    def is_end(self, prev: Token) -> bool:
        """Return whether an entity ended with the previous tag."""
        return self.check_patterns(prev, self.end_patterns)

    def check_tag(self, prev: Token, cond: Tag) -> bool:
        """Return whether the types have the given relation."""
        return cond == Tag.ANY or cond == (Tag.SAME if prev.tag == self.tag else Tag.DIFF)

    def check_patterns(self, prev: Token, patterns: Iterable[tuple[Prefix, Prefix, Tag]]) -> bool:
        """Return whether any of the patterns matches this token after `prev`."""
        return any(
            prev.prefix in before and self.prefix in now and self.check_tag(prev, relation)
            for before, now, relation in patterns
        )


_RELATIONS = {"=": Tag.SAME, "!": Tag.DIFF, "*": Tag.ANY}


def _patterns(scheme: Scheme, rules: str) -> set[tuple[Prefix, Prefix, Tag]]:
    letters = {**Prefixes, ".": Prefix.ANY}
    if "L" in scheme.prefixes:  # Karatage's tables use E and S for the last and the single token of every scheme
        letters |= {"E": Prefix.L, "S": Prefix.U}
    return {(letters[before], letters[now], _RELATIONS[types]) for before, now, types in map(tuple, rules.split())}


def _tables(scheme: Scheme) -> tuple[set[tuple[Prefix, Prefix, Tag]], ...]:
    return tuple(_patterns(scheme, rules) for rules in (scheme.starts, scheme.inside, scheme.ends))


class IOB1(Token):
    """I inside; B only directly after an entity of the same type."""

    allowed_prefix = Prefix.I | Prefix.O | Prefix.B
    start_patterns, inside_patterns, end_patterns = _tables(SCHEMES["IOB1"])


class IOE1(Token):
    """I inside; E only directly before an entity of the same type, with seqeval's gaps."""

    allowed_prefix = Prefix.I | Prefix.O | Prefix.E
    start_patterns, inside_patterns, end_patterns = _tables(SEQEVAL_IOE1)


class IOB2(Token):
    """B first, I inside."""

    allowed_prefix = Prefix.I | Prefix.O | Prefix.B
    start_patterns, inside_patterns, end_patterns = _tables(SCHEMES["IOB2"])


class IOE2(Token):
    """I inside, E last."""

    allowed_prefix = Prefix.I | Prefix.O | Prefix.E
    start_patterns, inside_patterns, end_patterns = _tables(SCHEMES["IOE2"])


class IOBES(Token):
    """B first, I inside, E last, S single."""

    allowed_prefix = Prefix.I | Prefix.O | Prefix.B | Prefix.E | Prefix.S
    start_patterns, inside_patterns, end_patterns = _tables(SCHEMES["IOBES"])


class BILOU(Token):
    """B first, I inside, L last, U single."""

    allowed_prefix = Prefix.B | Prefix.I | Prefix.L | Prefix.O | Prefix.U
    start_patterns, inside_patterns, end_patterns = _tables(SCHEMES["BILOU"])


class Tokens:
    """A sentence with its scheme."""

    def __init__(
        self,
        tokens: list[str],
        scheme: type[Token],
        suffix: bool = False,
        delimiter: str = "-",
        sent_id: int | None = None,
    ) -> None:
        self.outside_token = scheme("O", suffix=suffix, delimiter=delimiter)
        self.tokens = [scheme(token, suffix=suffix, delimiter=delimiter) for token in tokens]
        self.extended_tokens = [*self.tokens, self.outside_token]
        self.sent_id: Any = sent_id

    @property
    def entities(self) -> list[Entity]:
        """The sentence's entities, from left to right."""
        found = []
        index, prev = 0, self.outside_token
        while index < len(self.extended_tokens):
            token = self.extended_tokens[index]
            token.is_valid()
            after = index + 1
            if token.is_start(prev):
                after = self._forward(after, token)
                if self.extended_tokens[after].is_end(self.extended_tokens[after - 1]):
                    found.append(Entity(sent_id=self.sent_id, start=index, end=after, tag=token.tag))
            index = after
            prev = self.extended_tokens[index - 1]
        return found

    def _forward(self, start: int, prev: Token) -> int:
        """Return the first index from `start` at which the entity does not continue."""
        for index in range(start, len(self.extended_tokens)):
            if not self.extended_tokens[index].is_inside(prev):
                return index
            prev = self.extended_tokens[index]
        # Only reached by custom schemes in which entities continue through O; the value is seqeval's.
        return len(self.tokens) - 1


class Entities:
    """The entities of many sentences: `entities` has one list per sentence."""

    def __init__(
        self, sequences: list[list[str]], scheme: type[Token], suffix: bool = False, delimiter: str = "-"
    ) -> None:
        self.entities = [
            Tokens(tokens, scheme=scheme, suffix=suffix, delimiter=delimiter, sent_id=number).entities
            for number, tokens in enumerate(sequences)
        ]

    def filter(self, tag_name: str) -> set[Entity]:
        """Return the entities of one type."""
        return {entity for entity in chain.from_iterable(self.entities) if entity.tag == tag_name}

    @property
    def unique_tags(self) -> set[str]:
        """The types of the entities."""
        return {entity.tag for entity in chain.from_iterable(self.entities)}


_DETECTABLE = (
    (IOB2, "B", "IO"),
    (IOE2, "E", "IO"),
    (IOBES, "BE", "IOS"),
    (IOBES, "S", ""),
    (BILOU, "BL", "IOU"),
    (BILOU, "U", ""),
)
"""Scheme, required prefixes, optional prefixes. seqeval detects S and U on their own, but not together with O."""


def auto_detect(sequences: list[list[str]], suffix: bool = False, delimiter: str = "-") -> type[Token]:
    """Detect IOB2, IOE2, IOBES or BILOU from the prefixes."""
    prefixes = set()
    for token in _distinct(sequences):
        try:
            prefixes.add(Token(token, suffix=suffix, delimiter=delimiter).prefix)
        except KeyError:
            raise ValueError(f"This scheme is not supported: {token}") from None
    found = {prefix.name for prefix in prefixes}
    for scheme, needed, optional in _DETECTABLE:
        if set(needed) <= found <= set(needed + optional):
            return scheme
    raise ValueError(f"This scheme is not supported: {prefixes}")


def _distinct(sequences: Any) -> Iterable[str]:
    """Return the distinct tags in order of occurrence, or all tags if they cannot be hashed."""
    if isinstance(sequences, list) and set(map(type, sequences)) == {list}:
        try:
            return dict.fromkeys(chain.from_iterable(sequences))
        except TypeError:  # a tag that cannot be hashed
            pass
    return (token for tokens in sequences for token in tokens)
