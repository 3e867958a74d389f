"""A fixed sample of the hostile corpus, read in this process.

The whole corpus runs by hand and before a release: `tests/hostile/make_hostile.py`, `run_hostile.py`.
"""

import json
import os
import re
import sys
from functools import partial
from pathlib import Path

import pytest

from gradviz.errors import FileError
from gradviz.files import native

sys.path.insert(0, str(Path(__file__).parents[1] / "hostile"))
import make_hostile

SOURCE = Path(__file__).with_name("every_feature.gradviz")
SAMPLE = 160
# What the generator holds for wrong and the format allows, with the reason.
ALLOWED = (
    r"^ids/ref-dangling-view-",  # the view is a convenience: a stale one never stops a document
    r"^ids/ref-dangling-graph-nodes-[0-9]+-name",  # a name may read like an id; it refers to nothing
)
MARKS = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def _options():
    return make_hostile.parser().parse_args(
        [str(SOURCE), "out", "--big-mib", "1", "--bomb-mib", "1", "--items", "100000"]
    )


def _variants():
    """(family, variant) of all documents, in the generator's order."""
    data = SOURCE.read_bytes()
    context = make_hostile.Ctx(data, json.loads(data), 1, ".gradviz", _options())
    return [
        (family, variant)
        for family, (make, _) in make_hostile.FAMILIES.items()
        for variant in make(context)
        if variant.group == "document"
    ], context


def _chosen():
    """Some of every family, as many of a large one as of a small one."""
    variants, context = _variants()
    families = {}
    for family, variant in variants:
        families.setdefault(family, []).append(variant)
    share = SAMPLE // len(families)
    for family, members in families.items():
        step = max(1, len(members) / share)
        for number in range(min(share, len(members))):
            yield family, members[int(number * step)], context


def _expectation(variant, body, context):
    if variant.expect in ("accept", "reject"):
        return variant.expect
    valid, same = make_hostile.strict_state(body, json.dumps(context.doc, sort_keys=True))
    if valid is False:
        return "reject"
    return "accept" if same else "any"


def judge(name, read):
    """Say "accept" or "reject"; fails for any other exception and for a message that is none."""
    try:
        read()
    except FileError as error:
        text = str(error)
        assert name in text
        assert len(text) < 600, text
        assert not MARKS.search(text), text
        rest = text.removeprefix(name)
        assert len(rest) > 10, text
        return "reject"
    return "accept"


CHOSEN = list(_chosen())


@pytest.mark.parametrize(
    ("family", "variant", "context"),
    CHOSEN,
    ids=[f"{family}/{re.sub(r'[^ -~]', '?', variant.label)[:60]}" for family, variant, _ in CHOSEN],
)
def test_a_hostile_document_is_read_or_refused_in_words(family, variant, context, tmp_path):
    if variant.needs_unprivileged and os.geteuid() == 0:
        pytest.skip("root may read everything")
    if variant.special is not None:
        path = tmp_path / (variant.filename or "made.gradviz")
        variant.special(str(path), context)
        verdict = judge("", lambda: native.load(path))
        expected = variant.expect or "any"
    else:
        body = variant.build()
        verdict = judge("paste.gradviz", lambda: native.loads(body, "paste.gradviz"))
        expected = _expectation(variant, body, context)
    allowed = any(re.match(pattern, f"{family}/{variant.label}") for pattern in ALLOWED)
    assert expected in ("any", verdict) or (allowed and verdict == "accept")


@pytest.mark.long
@pytest.mark.timeout(600)
def test_every_hostile_document_is_refused_in_words_or_read_and_written_alike():
    variants, context = _variants()
    counts = {"accept": 0, "reject": 0}
    for family, variant in variants:
        if variant.special is not None:
            continue
        body = variant.build()
        verdict = judge("paste.gradviz", partial(native.loads, body, "paste.gradviz"))
        counts[verdict] += 1
        if not any(re.match(pattern, f"{family}/{variant.label}") for pattern in ALLOWED):
            assert _expectation(variant, body, context) in ("any", verdict), variant.label
        if verdict == "accept":
            first = native.dumps(native.loads(body))
            assert native.dumps(native.loads(first)) == first
    print(counts)
