"""Whether a changed node still fits what it is wired to, in the words of `engine.check`."""

from __future__ import annotations

from typing import Final

from gradviz.engine.check import Problem, Specs, infer
from gradviz.errors import ShapeError
from gradviz.graph.model import Graph, Node

BLAMED: Final = frozenset({"shape", "settings"})
"""Problems that a change can be refused for; an open input is only unfinished work."""


def refuse_misfit(graph: Graph, changed: Node, specs: Specs | None = None) -> None:
    """Raise ShapeError if `changed`, in place of the node of its id, brings a new problem to it."""
    problem = new_problem(graph, changed, specs)
    if problem is not None:
        raise ShapeError(problem.message)


def new_problem(graph: Graph, changed: Node, specs: Specs | None = None) -> Problem | None:
    """The shape problem that `changed` has and the node it replaces has not.

    `specs` are those of `graph`, if the caller has them.
    """
    known = specs if specs is not None and specs.graph is graph else infer(graph)
    problem = _problem_of(changed, known)
    if problem is None or problem.kind not in BLAMED:
        return None
    before = known.problems.get(changed.id)
    return None if before is not None and str(before.message) == str(problem.message) else problem


def _problem_of(node: Node, specs: Specs) -> Problem | None:
    """What `check` says of one node where its inputs are as in `specs`; the rest of the graph is not looked at."""
    feeding = {port.node for port in node.inputs if port is not None}
    stand_ins = {id: Node(id, "") for id in feeding}
    known = Specs(Graph(stand_ins), (), {id: specs.outputs[id] for id in feeding})
    return infer(Graph({**stand_ins, node.id: node}), known).problems.get(node.id)
