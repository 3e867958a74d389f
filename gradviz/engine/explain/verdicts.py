"""What the comparison with finite differences says."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz import digits
from gradviz.engine import gradcheck
from gradviz.engine.answer import Answer
from gradviz.engine.explain.words import joined, partial
from gradviz.engine.gradcheck import Verdict
from gradviz.text import Message, mark, message


def verdict(answer: Answer, found: Verdict) -> Message:
    """What the comparison with finite differences says of one wrt."""
    x = partial(answer, found.wrt.node)
    counted = message(mark("engine", "{count} entries"), count=f"{found.total:,}")
    if found.checked < found.total:
        counted = message(
            mark("engine", "{count} of {total} entries"),
            count=f"{found.checked:,}",
            total=f"{found.total:,}",
        )
    apart = _left_out(found)
    if not found.connected and found.agrees:
        text = mark("engine", "{x} is None, and moving it changes nothing ({counted}){apart}.")
        return message(text, x=x, counted=counted, apart=apart)
    if found.worst is None:
        return message(mark("engine", "{x} cannot be compared{apart}."), x=x, apart=apart)
    worst = found.worst
    values: dict[str, object] = {
        "x": x,
        "counted": counted,
        "apart": apart,
        "cell": f"[{', '.join(map(str, worst.cell))}]" if worst.cell else "",
        "gradient": digits.number(worst.gradient, 7),
        "difference": digits.number(worst.difference, 7),
        "error": digits.number(worst.error, 2),
    }
    if found.agrees:
        text = mark(
            "engine",
            "{x} agrees with finite differences ({counted}; largest difference {error} at {x}{cell}){apart}.",
        )
        return Message(text, values)
    if not found.connected:
        text = mark(
            "engine",
            "{x} is WRONG: it is None, but at {x}{cell} finite differences give {difference}{apart}.",
        )
        return Message(text, values)
    values["wrong"] = message(
        mark("engine", "{wrong} of {count}"), wrong=f"{found.wrong:,}", count=f"{found.checked:,}"
    )
    text = mark(
        "engine",
        "{x} is WRONG: at {x}{cell} the gradient is {gradient}, but finite differences give {difference} ({wrong} entries are wrong){apart}.",
    )
    return Message(text, values)


def verdicts(answer: Answer, found: Sequence[Verdict]) -> Message:
    """What the comparison says of all wrt together: the first that is wrong, or how well they agree."""
    wrong = next((one for one in found if not one.agrees), None)
    if wrong is not None or len(found) == 1:
        return verdict(answer, wrong or found[0])
    if not found:
        return message(mark("engine", "There is no gradient to compare."))
    largest = gradcheck.worst([one for one in found if one.connected])
    if largest is None or largest.worst is None:
        return message(mark("engine", "All gradients agree with finite differences."))
    text = mark(
        "engine",
        "All gradients agree with finite differences (largest difference {error} at {x}{cell}).",
    )
    cell = f"[{', '.join(map(str, largest.worst.cell))}]" if largest.worst.cell else ""
    x, error = partial(answer, largest.wrt.node), digits.number(largest.worst.error, 2)
    return message(text, error=error, x=x, cell=cell)


def _left_out(found: Verdict) -> Message | str:
    parts: list[Message] = []
    if found.kinks:
        parts.append(message(mark("engine", "{count} at a kink"), count=found.kinks))
    if found.not_finite:
        parts.append(message(mark("engine", "{count} with NaN or ∞"), count=found.not_finite))
    if found.float32_error is not None:
        text = mark("engine", "in float32 it is off by up to {error} of its largest entry")
        parts.append(message(text, error=digits.number(found.float32_error, 2)))
    if not parts:
        return ""
    return message(mark("engine", "; {parts}"), parts=joined(parts))
