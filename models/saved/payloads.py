"""Payloads that stand for evaluators on their way, and pickle without the files of models.

A model's files are large and many calls need the same: they go apart, once, by their digests.
"""

from __future__ import annotations

import functools
import hashlib
import io
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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


def without_payloads(thing: Any) -> tuple[bytes, dict[str, Payload]]:
    """Pickle something, but for the files of the models in it: they need to go but once."""
    file = io.BytesIO()
    packer = _Packer(file)
    packer.dump(thing)
    return file.getvalue(), packer.payloads


def unpacked(content: bytes, payloads: Mapping[str, Payload]) -> Any:
    """Return what `without_payloads` took, given the payloads that it left out."""
    return _Unpacker(io.BytesIO(content), payloads).load()


class _Packer(pickle.Pickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.payloads: dict[str, Payload] = {}

    def persistent_id(self, thing: Any) -> str | None:
        if isinstance(thing, Payload) and thing.files is not None:
            self.payloads[thing.digest] = thing
            return thing.digest
        return None


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, payloads: Mapping[str, Payload]) -> None:
        super().__init__(file)
        self._payloads = payloads

    def persistent_load(self, digest: str) -> Payload:
        return self._payloads[digest]
