"""Making very many objects at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def bulk() -> Iterator[None]:
    """Keep the cyclic collector from looking at everything again and again while a large structure is built.

    What is built is kept, so there is nothing to collect; at 10,000 nodes the looking takes longer than the building.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if gc.get_freeze_count() == 0:
                # All that was built goes to the oldest generation at once, instead of being looked at as new.
                gc.freeze()
                gc.unfreeze()
            gc.enable()
