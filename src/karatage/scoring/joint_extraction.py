"""What is counted of several extractions on the same gold: a fold over batches of gold, paired with all of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence

from karatage.claims import Units
from karatage.errors import InputError, UnitError
from karatage.inputs import Input, InputParts, read_together
from karatage.metrics import Tally
from karatage.profiles import Profile
from karatage.scoring.extraction_counts import ExtractionCounts
from karatage.scoring.joint_counts import JointCounts
from karatage.scoring.nouns import Nouns, counted
from karatage.stats import Resampling

Blamed = Callable[[InputError], InputError]
"""Names a run in an error in its predictions; one in gold stays as it is."""


class Waiting:
    """Counts of units that wait until all runs have them.

    Attributes:
        units: the batches of units.
        counted: the counts of each batch.
    """

    def __init__(self, resampling: Resampling) -> None:
        self.resampling = resampling
        self.units: list[Units] = []
        self.counted: list[Tally] = []

    def add(self, units: Units, counted: Tally) -> None:
        """Take the counts of a batch of units."""
        self.units.append(units)
        self.counted.append(counted)

    def fresh(self) -> Waiting:
        """Return one that has nothing."""
        return Waiting(self.resampling)

    def __iadd__(self, other: Waiting) -> Waiting:
        """Add what waits of the part that follows."""
        self.units += other.units
        self.counted += other.counted
        return self


class JointExtraction:
    """The counts of several runs on the same gold, and what was noticed of each.

    Args:
        profile: how they are scored.
        nouns: what users call what is scored.
        joint: gets the counts of each unit.
        count: how many runs there are.

    Attributes:
        runs: the counts of each run.
    """

    def __init__(self, profile: Profile, nouns: Nouns, joint: JointCounts, count: int) -> None:
        self._profile, self._nouns, self._joint = profile, nouns, joint
        self._waiting = [Waiting(joint.resampling) for _ in range(count)]
        self.runs = [ExtractionCounts(profile, nouns, own) for own in self._waiting]

    def read(
        self, golds: Sequence[Input], preds: Sequence[Input], done: Callable[[int], None], blamed: Sequence[Blamed]
    ) -> None:
        """Read and count everything, batch by batch.

        Args:
            golds: gold, for each run.
            preds: the predictions of each run.
            done: called with the number of units that were counted for all runs.
            blamed: names each run in an error in its predictions.
        """
        steps = [run.steps(*pair) for run, *pair in zip(self.runs, golds, preds, strict=True)]
        reading = list(range(len(steps)))
        while reading:
            behind = min(reading, key=lambda run: self.runs[run].units)
            try:
                if next(steps[behind], None) is None:
                    reading.remove(behind)
                    self._check_extra(self.runs[behind])
            except InputError as error:
                raise _first_error(error, steps[: behind + 1], blamed) from None
            if len({run.units for run in self.runs}) == 1:  # at the end of each batch of gold, if not before
                self._join()
                done(self.units)

    def _check_extra(self, run: ExtractionCounts) -> None:
        """Refuse units that gold lacks and that count as empty: another system has others, or none."""
        if self._profile.units.extra == "empty" and (count := run.pairing.extra):
            raise UnitError(
                f"{counted(count, f'predicted {self._nouns.unit}')} not in gold, which --extra empty cannot compare "
                "between systems",
                hint=f"Add these {self._nouns.units} to gold, e.g. as rows without a label, or use --extra ignore",
            )

    def _join(self) -> None:
        """Take in what all runs have counted."""
        if self._waiting[0].units:
            self._joint.add(self._waiting[0].units, [own.counted for own in self._waiting])
        for own in self._waiting:
            own.units, own.counted = [], []

    def fresh(self) -> JointExtraction:
        """Return counts of nothing."""
        return JointExtraction(self._profile, self._nouns, self._joint.fresh(), len(self.runs))

    @property
    def units(self) -> int:
        """How many units were counted for all runs."""
        return self._joint.units

    def read_part(self, part: InputParts) -> None:
        """Read and count a part; refuse one whose gold and predictions do not have the same units."""
        gold, *preds = part.inputs
        self.read(read_together([gold] * len(preds)), preds, lambda _: None, [lambda error: error] * len(preds))
        for run in self.runs:
            run.check_part(part)

    takes_shards = True

    def shift(self, before: int) -> None:
        """Count the numbers of units in examples from behind so many others; those of lists count from their part."""
        for run in self.runs:
            run.shift(before)

    def check_whole(self) -> None:
        """Refuse an id that occurs in two parts."""
        for run in self.runs:
            run.check_whole()

    def add_part(self, other: JointExtraction) -> None:
        """Add the part that follows."""
        for own, more in zip(self.runs, other.runs, strict=True):
            own.add_part(more)
        self._joint += other._joint


def _first_error(error: InputError, steps: Sequence[Iterator[int]], blamed: Sequence[Blamed]) -> InputError:
    """Return the error of the first run that has one, wherever it is: the others may have been read less far.

    Args:
        error: the error of the last of some runs.
        steps: these runs.
        blamed: names each run in an error.
    """
    *before, own = range(len(steps))
    named = blamed[own](error)
    if named is error:  # it is gold's, which all runs share
        return error
    for run in before:
        try:
            deque(steps[run], maxlen=0)
        except InputError as earlier:
            return blamed[run](earlier)
    return named
