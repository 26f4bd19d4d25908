"""A message of the simulator together with the launch that it concerns."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from grader.common.phrases import quoted
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.oclgrind import Entity
from grader.grading.explain.simulator.source_lines import lines_in_words
from grader.protocol.observation import SeenKernel, SeenMessage
from grader.results.findings import AdvisedBarrier, Place


@dataclass(frozen=True, kw_only=True)
class Heard:
    """A message of the simulator, the work-items that it mentions, its launch, and the earlier launches."""

    message: SeenMessage
    entities: list[Entity]
    seen: SeenKernel
    scene: Scene
    before: Sequence[SeenKernel]

    def place(self, entity: Entity, array: str) -> Place:
        """The place in which a work-item uses an array."""
        does = "writes" if entity.writes else "reads"
        return self.at(entity.line, f"{self._whose(entity)} {does} {quoted(array)}")

    def by(self, entity: Entity, line: int, words: str) -> tuple[Place]:
        """The place of a work-item's action in a line, as a tuple with one item."""
        return (self.at(line, f"{self._whose(entity)} {words}"),)

    def at(self, line: int, words: str) -> Place:
        """The place of an action in a line. `words` describe the action."""
        return Place(line=line, text=self.scene.text(line), words=words)

    def _whose(self, entity: Entity) -> str:
        return f"{self.scene.item(entity.global_id)} of {self.scene.group(entity.group)}"


class Words(NamedTuple):
    """The mistake, the next step or the usual cause, the places, and the barrier if the next step is to add one."""

    mistake: str
    help: str
    places: tuple[Place, ...] = ()
    barrier: AdvisedBarrier | None = None


def beyond(item: str, access: str, around: Collection[int]) -> str:
    """Advice on an access by a work-item beyond the edge, based on the lines of the guards around it."""
    if not around:
        return f"{item} lies beyond the edge. Guard the {access} with the sizes."
    guard = "condition" if len(around) == 1 else "conditions"
    lets = "lets" if len(around) == 1 else "let"
    return f"{item} lies beyond the edge, but the {guard} in {lines_in_words(around)} {lets} it pass. Check the sizes."
