"""pytest imports test modules by their names alone: two of one name, in whatever folders, cannot run together."""

from collections import Counter
from pathlib import Path


def test_no_two_modules_of_tests_have_one_name() -> None:
    seen = Counter(path.name for path in Path(__file__).parents[1].rglob("test_*.py"))
    assert [name for name, count in seen.items() if count > 1] == []
