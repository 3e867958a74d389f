"""The table of actions: no key twice, every action has its method, and the help shows them."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from gradviz.gui.actions import ACTIONS, MENUS
from gradviz.gui.commands import COMMANDS
from gradviz.gui.help import KeysDialog, OperationsPage, keys_page, limits_page
from gradviz.limits import LIMITS
from gradviz.ops import registry


def test_no_key_is_bound_twice_in_one_context() -> None:
    # A key of the window also works on the canvas, so both contexts are one there.
    keys = Counter(QKeySequence(key).toString() for action in ACTIONS for key in action.keys)
    assert [key for key, count in keys.items() if count > 1] == []


def test_every_key_is_a_key(qapp) -> None:
    for action in ACTIONS:
        for key in action.keys:
            assert QKeySequence(key).toString(), (action.id, key)


def test_every_action_does_something() -> None:
    for action in ACTIONS:
        owners = [commands for commands in COMMANDS if action.id in vars(commands)]
        assert len(owners) == 1, action.id
        assert getattr(owners[0], action.id).__doc__, action.id
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)
    assert {action.menu for action in ACTIONS} == set(MENUS)


def test_no_shortcut_needs_shift_and_a_digit() -> None:
    assert not any(
        "Shift+" in key and key[-1].isdigit() and "F" not in key for a in ACTIONS for key in a.keys
    )


def test_the_help_lists_every_key_and_every_limit(qapp) -> None:
    page = keys_page()
    for action in ACTIONS:
        for key in action.keys:
            assert QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) in page
    for limit in LIMITS:
        assert limit.name in limits_page()


def test_the_help_lists_every_operation(qtbot) -> None:
    dialog = KeysDialog()
    qtbot.addWidget(dialog)
    (page,) = dialog.findChildren(OperationsPage)
    exact = Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive
    for op in registry.palette():
        (item,) = page.list.findItems(op.name, exact)
        page.list.setCurrentItem(item)
        assert op.name in page.page.toPlainText()
        assert str(op.summary) in page.page.toPlainText().replace("\n", " ")
    page.search.setText("reduce_sum")
    assert page.page.toPlainText().startswith("sum")
    page.search.setText("no such thing")
    assert page.list.topLevelItemCount() == 0
    assert page.page.toPlainText() == ""
