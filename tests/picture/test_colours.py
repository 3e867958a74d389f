"""Everything is readable on its ground, and sign is never told by colour alone."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.picture.colours import CENTRE, DARK, LIGHT, STEPS, WHITE, Scale, contrast, ink_on
from gradviz.picture.look import Flow, Kind

READABLE = 4.5
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)


@THEMES
@pytest.mark.parametrize("text", ["ink", "dim", "forward", "backward", "output_text"])
@pytest.mark.parametrize("ground", ["window", "panel", "canvas", "soft"])
def test_text_is_readable(theme, text, ground):
    assert contrast(getattr(theme, text), getattr(theme, ground)) >= READABLE


@THEMES
def test_text_is_readable_on_special_grounds(theme):
    for text in (theme.note, theme.ink, theme.forward, theme.dim):
        assert contrast(text, theme.note_ground) >= READABLE
    for kind in Kind:
        assert contrast(WHITE, theme.head(kind)) >= READABLE
    for flow in Flow:
        assert contrast(theme.flow(flow), theme.soft_flow(flow)) >= READABLE
        assert contrast(ink_on(theme.flow(flow)), theme.flow(flow)) >= READABLE
    assert contrast(theme.panel, theme.ink) >= READABLE


@THEMES
def test_numbers_are_readable_on_every_tint(theme):
    assert len(theme.scale.colours) == STEPS
    for ground, ink in zip(theme.scale.colours, theme.scale.inks, strict=True):
        assert contrast(ink, ground) >= READABLE


@THEMES
def test_wires_at_rest_can_be_seen(theme):
    assert contrast(theme.wire, theme.canvas) >= 2.5


def test_the_scale_is_centred_at_zero():
    index = Scale.index(np.array([-9.0, -2.0, 0.0, 2.0, np.inf, -np.inf, np.nan]), 2.0)
    low, high = CENTRE - 127, CENTRE + 127
    assert index.tolist() == [low, low, CENTRE, high, high, low, CENTRE]


def test_an_array_of_zeros_has_no_tint():
    assert Scale.index(np.zeros(3), 0.0).tolist() == [CENTRE] * 3


@THEMES
def test_the_scale_grows_evenly_to_both_sides(theme):
    zero = theme.scale.colours[CENTRE]
    for step in (1, -1):
        away = [contrast(theme.scale.colours[CENTRE + step * i], zero) for i in range(0, 128, 16)]
        assert away == sorted(away)
