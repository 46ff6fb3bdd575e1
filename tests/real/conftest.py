"""Modules bound from the headers of this machine, once for all tests that use them."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import jitffi
from jitffi.bind.source.errors import HeaderNotFound


@pytest.fixture(scope="session")
def bound_header(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., ModuleType]:
    """bound_header(header, library, package, **options): the module that `jitffi.bind_header` made, imported; *options*
    are its own. Skips where the machine has none of them."""
    folder = tmp_path_factory.mktemp("bound_headers")
    made: dict[tuple[Any, ...], ModuleType] = {}

    def bound(header: str | tuple[str, ...], library: str, package: str, **options: Any) -> ModuleType:
        key = (header, library, *options.items())
        if key not in made:
            first = header if isinstance(header, str) else header[0]
            name = f"task_{first.replace('/', '_').removesuffix('.h')}_{len(made)}"
            path = folder / f"{name}.py"
            try:
                jitffi.bind_header(header, library, path, **options)
            except (HeaderNotFound, OSError) as error:
                pytest.skip(f"{error}; on Debian it is in {package}")
            spec = importlib.util.spec_from_file_location(name, path)
            assert spec is not None and spec.loader is not None
            made[key] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(made[key])
        return made[key]

    return bound
