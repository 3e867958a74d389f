"""Documents of other versions."""

import pytest

from gradviz.files.migrate import STEPS, VERSION, migrate
from gradviz.graph.fault import DiagramError


def test_version_one_is_the_first():
    assert VERSION == 1
    assert not STEPS


def test_a_document_of_this_version_is_left_alone():
    document = {"gradviz": 1, "graph": {}}
    assert migrate(document) is document


def test_steps_are_applied_one_after_the_other():
    steps = {
        1: lambda old: {"gradviz": 1, "boxes": old["nodes"]},
        2: lambda old: {"gradviz": 2, "graph": {"nodes": old["boxes"]}},
    }
    old = {"gradviz": 1, "nodes": []}
    assert migrate(old, steps, 3) == {"gradviz": 3, "graph": {"nodes": []}}
    assert migrate({"gradviz": 2, "boxes": []}, steps, 3) == {"gradviz": 3, "graph": {"nodes": []}}
    assert old == {"gradviz": 1, "nodes": []}


def test_a_version_without_a_step_is_too_old():
    with pytest.raises(
        DiagramError, match="1 is not a version of the format; this gradviz writes 3"
    ):
        migrate({"gradviz": 1}, {2: dict}, 3)


@pytest.mark.parametrize("version", [2, 999, 10**30])
def test_a_future_version_is_refused_by_both_numbers(version):
    with pytest.raises(
        DiagramError, match=f"format {version}; this gradviz reads up to 1"
    ) as caught:
        migrate({"gradviz": version})
    assert caught.value.place == ("gradviz",)


@pytest.mark.parametrize("version", [0, -1, 1.0, True, "1", None, [1], {"major": 1}, "\x1b" * 100])
def test_what_is_no_version_is_refused(version):
    with pytest.raises(DiagramError, match="is not a version"):
        migrate({"gradviz": version})
