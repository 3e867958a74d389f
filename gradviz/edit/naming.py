"""Names and ids for what an edit adds."""

from __future__ import annotations

from gradviz.errors import InputError
from gradviz.graph.model import Graph, free_id, free_name
from gradviz.graph.names import look_alike, name_fault, shown
from gradviz.limits import NAME_CHARACTERS
from gradviz.text import mark


class Names:
    """The names of a graph, and those given since: what two nodes must not share."""

    def __init__(self, graph: Graph) -> None:
        self._taken = {look_alike(node.name) for node in graph if node.name}
        self._used: dict[str, int] = {}

    def free(self, wanted: str) -> str:
        """`wanted`, or `wanted_2`, … if it is taken; from now on it is."""
        name = free_name(look_alike(wanted), self._taken, self._used)
        if len(name) > NAME_CHARACTERS:
            stem = look_alike(wanted)[: NAME_CHARACTERS - 8].rstrip()
            name = free_name(stem, self._taken, self._used)
        self._taken.add(name)
        return name

    def release(self, name: str) -> None:
        """Let `name` be given again."""
        self._taken.discard(look_alike(name))


class Ids:
    """The ids of a graph, and those given since."""

    def __init__(self, graph: Graph) -> None:
        self._taken = set(graph.nodes)
        self._used: dict[str, int] = {}

    def free(self, wanted: str) -> str:
        """An id like `wanted` that is not taken; from now on it is."""
        id = free_id(wanted, self._taken, self._used)
        self._taken.add(id)
        return id


def checked_name(name: str) -> str:
    """`name` in the spelling that is kept; InputError if it cannot be shown."""
    spelt = look_alike(name)
    fault = name_fault(spelt)
    if fault is not None:
        raise InputError(
            mark("edit", 'The name "{name}" cannot be used: {fault}.'),
            name=shown(name),
            fault=fault,
        )
    return spelt
