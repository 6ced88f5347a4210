"""Form in which an evaluator travels to other processes."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Payload:
    """Serialized evaluator for workers."""

    name: str  # of the evaluator, or the folder of a saved model
    files: Mapping[str, bytes] | None = field(default=None, repr=False)  # None: samuel's own

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of all of it."""
        digest = hashlib.sha256(self.name.encode())
        for name, content in sorted((self.files or {}).items()):
            digest.update(f"\n{name} {len(content)}\n".encode() + content)
        return digest.hexdigest()
