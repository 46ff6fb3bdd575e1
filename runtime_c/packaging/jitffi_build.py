"""The build backend: scikit-build-core's, behind a look at what it needs before anything is downloaded."""

from __future__ import annotations

from typing import Any

from jitffi_needs import require
from scikit_build_core import build as skbuild
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable", "build_sdist", "build_wheel", "get_requires_for_build_editable", "get_requires_for_build_sdist",
    "get_requires_for_build_wheel", "prepare_metadata_for_build_editable", "prepare_metadata_for_build_wheel",
]  # fmt: skip


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    require(config_settings)
    return skbuild.get_requires_for_build_wheel(config_settings)


def get_requires_for_build_editable(config_settings: dict[str, Any] | None = None) -> list[str]:
    require(config_settings)
    return skbuild.get_requires_for_build_editable(config_settings)


def build_wheel(folder: str, config_settings: dict[str, Any] | None = None, metadata: str | None = None) -> str:
    require(config_settings)
    return skbuild.build_wheel(folder, config_settings, metadata)


def build_editable(folder: str, config_settings: dict[str, Any] | None = None, metadata: str | None = None) -> str:
    require(config_settings)
    return skbuild.build_editable(folder, config_settings, metadata)
