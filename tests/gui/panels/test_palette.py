"""Operations and examples."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QDrag

from gradviz.gui.panels.carried import card_picture
from gradviz.gui.panels.palette import FILE, OP, OP_MIME, SIGN, Palette
from gradviz.ops import registry
from gradviz.picture.colours import DARK
from gradviz.resources import example_files, title_of

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(show) -> Palette:
    return show(Palette(), 208, 600)


def rows(panel: Palette) -> list[str]:
    tree = panel.tree
    return [tree.topLevelItem(i).text(0) for i in range(tree.topLevelItemCount())]


def names(panel: Palette) -> list[str | None]:
    tree = panel.tree
    return [tree.topLevelItem(i).data(0, OP) for i in range(tree.topLevelItemCount())]


def find(panel: Palette, text: str):
    (item,) = panel.tree.findItems(text, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
    return item


def centre(panel: Palette, item):
    panel.tree.scrollToItem(item)
    return panel.tree.visualItemRect(item).center()


def test_every_operation_stands_in_its_category(panel: Palette) -> None:
    tree, found = panel.tree, {}
    for i in range(tree.topLevelItemCount()):
        heading = tree.topLevelItem(i)
        for j in range(heading.childCount()):
            found[heading.child(j).data(0, OP)] = heading.text(0)
    del found[None]
    assert found == {op.name: str(op.category) for op in registry.palette()}
    assert rows(panel)[0] == "Values"
    assert rows(panel)[-1] == "Examples"


def test_every_operation_says_what_it_does(panel: Palette) -> None:
    assert find(panel, "sum").toolTip(0) == str(registry.get("sum").summary)


def test_a_double_click_adds(panel: Palette, qtbot) -> None:
    at = centre(panel, find(panel, "multiply"))
    with qtbot.waitSignal(panel.chosen) as chosen:
        qtbot.mouseClick(panel.tree.viewport(), LEFT, pos=at)
        qtbot.mouseDClick(panel.tree.viewport(), LEFT, pos=at)
    assert chosen.args == ["multiply"]


def test_enter_in_the_list_adds(panel: Palette, qtbot) -> None:
    panel.tree.setCurrentItem(find(panel, "random normal"))
    panel.tree.setFocus()
    with qtbot.waitSignal(panel.chosen) as chosen:
        qtbot.keyClick(panel.tree, Qt.Key.Key_Return)
    assert chosen.args == ["random_normal"]


@pytest.mark.parametrize(
    ("typed", "best"),
    [
        ("mat", "matmul"),
        ("mm", "matmul"),
        ("@", "matmul"),
        ("reduce_sum", "sum"),
        ("np.sum", "sum"),
        ("Σ", "sum"),
        ("sfmx", "softmax"),
        ("detach", "stop_gradient"),
    ],
)
def test_typing_finds_by_name_sign_and_alias(panel: Palette, qtbot, typed: str, best: str) -> None:
    panel.search.setText(typed)
    assert best in names(panel)[:2]


def test_enter_adds_the_best_and_shows_everything_again(panel: Palette, qtbot) -> None:
    qtbot.keyClicks(panel.search, "softmax")
    with qtbot.waitSignal(panel.chosen) as chosen:
        qtbot.keyClick(panel.search, Qt.Key.Key_Return)
    assert chosen.args == ["softmax"]
    assert panel.search.text() == ""
    assert rows(panel)[0] == "Values"


def test_down_goes_on_in_the_list_and_up_comes_back(panel: Palette, qtbot) -> None:
    panel.search.setFocus()
    qtbot.keyClicks(panel.search, "max")
    qtbot.keyClick(panel.search, Qt.Key.Key_Down)
    assert panel.tree.hasFocus()
    qtbot.keyClick(panel.tree, Qt.Key.Key_Up)
    assert panel.search.hasFocus()
    qtbot.keyClick(panel.search, Qt.Key.Key_Escape)
    assert panel.search.text() == ""


def test_what_is_not_found_is_said_with_the_nearest(panel: Palette, qtbot) -> None:
    panel.search.setText("sigggmoyd")
    assert panel._nothing.text() == "No operation is called sigggmoyd. Near it:"
    assert rows(panel)[0] == "sigmoid"
    with qtbot.assertNotEmitted(panel.chosen):
        qtbot.keyClick(panel.search, Qt.Key.Key_Return)
    qtbot.keyClick(panel.search, Qt.Key.Key_Down)
    with qtbot.waitSignal(panel.chosen) as chosen:
        qtbot.keyClick(panel.tree, Qt.Key.Key_Return)
    assert chosen.args == ["sigmoid"]
    panel.search.setText("qwxzy")
    assert rows(panel) == []
    assert panel._nothing.text().endswith("Try what it does, or Esc for all of them.")


def test_the_alias_that_matched_is_beside_the_name_and_explained(panel: Palette) -> None:
    panel.search.setText("tf.reduce_sum")
    item = panel.tree.topLevelItem(0)
    assert item is not None
    assert (item.text(0), item.data(0, SIGN)) == ("sum", "reduce_sum")
    assert item.toolTip(0).startswith("reduce_sum in TensorFlow. ")


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_every_operation_hangs_on_the_pointer_as_the_card_it_will_be(qapp, ratio: float) -> None:
    for op in registry.palette():
        picture = card_picture(op.name, DARK, ratio)
        assert picture is not None, op.name
        assert picture.pixmap.devicePixelRatio() == ratio
        image = picture.pixmap.toImage()
        at = picture.held * ratio
        assert image.pixelColor(at).alpha() > 120, op.name


def test_a_drag_carries_the_card(panel: Palette, monkeypatch) -> None:
    drags = []
    monkeypatch.setattr(QDrag, "exec", lambda drag, *_: drags.append(drag))
    panel.tree.setCurrentItem(find(panel, "exp"))
    panel.tree.startDrag(Qt.DropAction.CopyAction)
    panel.tree.setCurrentItem(find(panel, "Nine sevens"))
    panel.tree.startDrag(Qt.DropAction.CopyAction)
    (drag,) = drags
    assert bytes(drag.mimeData().data(OP_MIME).data()) == b"exp"
    assert drag.pixmap().width() > 100
    assert drag.hotSpot().y() < drag.pixmap().height() / 2


def test_an_example_opens(panel: Palette, qtbot) -> None:
    assert title_of(example_files()[0]) == "Nine sevens"
    at = centre(panel, find(panel, "Two roads"))
    with qtbot.waitSignal(panel.example_chosen) as chosen:
        qtbot.mouseClick(panel.tree.viewport(), LEFT, pos=at)
        qtbot.mouseDClick(panel.tree.viewport(), LEFT, pos=at)
    assert chosen.args[0].name == "5_two-roads.gradviz"
    assert find(panel, "Two roads").data(0, FILE) == chosen.args[0]


def test_an_operation_can_be_dragged_and_an_example_not(panel: Palette) -> None:
    item = find(panel, "exp")
    assert item.flags() & Qt.ItemFlag.ItemIsDragEnabled
    assert bytes(panel.tree.mimeData([item]).data(OP_MIME).data()) == b"exp"
    assert not find(panel, "Nine sevens").flags() & Qt.ItemFlag.ItemIsDragEnabled


def test_a_click_folds_a_category(panel: Palette, qtbot) -> None:
    heading = find(panel, "Values")
    qtbot.mouseClick(panel.tree.viewport(), LEFT, pos=centre(panel, heading))
    assert not heading.isExpanded()
    panel.tree.setCurrentItem(heading, 0, QItemSelectionModel.SelectionFlag.ClearAndSelect)
    panel.tree.setFocus()
    qtbot.keyClick(panel.tree, Qt.Key.Key_Right)
    assert heading.isExpanded()
