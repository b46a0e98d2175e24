#!/usr/bin/env python3
"""Module docs."""
from __future__ import annotations

import os.path, sys as system
from a.b import c, d as e
from . import sibling
from ..up import (
    one,
    two,
)
from star import *

__all__ = ["Base", "make"]

# How many.
LIMIT = 10
_private: int = 3
lower = {"a": 1}
Alias = Union[int, str]
T = TypeVar("T")
Vector: TypeAlias = list[float]
type Point[P] = tuple[P, P]
square = lambda x: x * x

if TYPE_CHECKING:
    import lazy
try:
    import fast
except ImportError:
    fast = None


class Base(object):
    """A base. It has more."""

    LEVEL = 1
    field: int = 0

    class Nested:
        def deep(self):
            pass

    def __init__(self, a, *, b=None) -> None:
        """Makes it.

        Long text.
        """
        def local():
            pass

    @property
    def name(self) -> str:
        return ""

    @staticmethod
    @cache(
        size=3,
    )
    def make(x):
        ...

    async def later(self): ...

    def _hidden(self):
        pass

    @overload
    def twice(self, x: int) -> int: ...


# Comment above.
@decorated
def free(
    a: int,
    b: str = "x",
) -> dict[str, int]:
    return {}


async def fetch(url): r"""Gets `url`."""


class _Hidden:
    def method(self): pass


class TestThing:
    def test_it(self):
        pass

    def helper(self):
        pass


class ThingTest(unittest.TestCase):
    def setUp(self): pass
    def test_other(self): pass


class TestClient:
    def get(self): pass


def test_free(tmp_path):
    assert True


def testing_helper():
    pass
