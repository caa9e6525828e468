"""The pass: from a compiled workflow to its manifest, what a version is to the functions."""

from __future__ import annotations

from compiler.manifest.build import manifest

__all__ = ["manifest"]
