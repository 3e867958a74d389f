"""Wherever the film is gone to, and by whichever way, the picture at rest is the same."""

from __future__ import annotations

import pytest

from gradviz.edit import edits
from gradviz.text import mark
from tests.support.robot import Robot


def pictures_by_scrubbing(robot: Robot):
    """The picture at each position, reached out of order."""
    count = len(robot.player.timeline)
    found = {}
    for position in [*range(count, -1, -2), *range(1, count + 1, 2), *range(0, count + 1, 2)]:
        robot.player.seek(position)
        found[position] = robot.canvas.grab().toImage()
    return found


def finish(robot: Robot) -> None:
    robot.player._progress = 1.0
    robot.player.moved.emit()


@pytest.mark.parametrize("count", [1, 5, 99])
def test_n_steps_on_and_n_back_restore_the_picture(robot: Robot, count: int) -> None:
    robot.player.seek(2)
    before = robot.canvas.grab().toImage()
    count = min(count, len(robot.player.timeline) - 2)
    for _ in range(count):
        robot.player.forward()
        finish(robot)
    assert robot.canvas.grab().toImage() != before
    for _ in range(count):
        robot.player.back()
    assert robot.canvas.grab().toImage() == before


def test_a_step_is_the_same_by_scrubbing_stepping_stepping_back_and_over(robot: Robot) -> None:
    expected = pictures_by_scrubbing(robot)
    player = robot.player
    player.to_start()
    while player.position < len(player.timeline):
        player.forward()
        finish(robot)
        assert robot.canvas.grab().toImage() == expected[player.position]
    while player.position:
        player.back()
        assert robot.canvas.grab().toImage() == expected[player.position]
    while player.position < len(player.timeline):
        player.over()
        assert robot.canvas.grab().toImage() == expected[player.position]
    player.to_start()
    assert player.run_to(robot.id("s"))
    assert robot.canvas.grab().toImage() == expected[player.position]


def test_a_number_that_changes_mid_film_changes_no_place(robot: Robot) -> None:
    robot.player.seek(9)
    step = robot.player.step
    assert step is not None
    robot.type_value("X", "5", 0, 0)
    assert robot.player.step is not None
    assert (robot.player.position, robot.player.step.address) == (9, step.address)
    robot.document.undo()
    assert robot.player.position == 9
    robot.document.edit(mark("edit", "Breakpoint"), edits.toggle_breakpoint, [robot.id("s")])
    assert robot.player.position == 9
