"""What stands for evaluators on their way, and pickles without the files of models.

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
class Parcel:
    """What stands for an evaluator on its way.

    Attributes
    ----------
    name
        Of an evaluator that has one its name, of a saved model the folder where it lay.
    files
        The content of the folder's files by name, or that of the numbers of a user's evaluator;
        None of an evaluator that comes with samuel.
    """

    name: str
    files: Mapping[str, bytes] | None = field(default=None, repr=False)

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of all of it."""
        digest = hashlib.sha256(self.name.encode())
        for name, content in sorted((self.files or {}).items()):
            digest.update(f"\n{name} {len(content)}\n".encode() + content)
        return digest.hexdigest()


def parcelled(thing: Any) -> tuple[bytes, dict[str, Parcel]]:
    """Pickle something, but for the files of the models in it: they need to go but once.

    Returns
    -------
    The pickle and, by their digests, the parcels that are left out.

    Raises
    ------
    UserError
        A game or an evaluator in it is known to this process alone.
    """
    file = io.BytesIO()
    packer = _Packer(file)
    packer.dump(thing)
    return file.getvalue(), packer.parcels


def unpacked(content: bytes, parcels: Mapping[str, Parcel]) -> Any:
    """Return what `parcelled` took, given the parcels that it left out."""
    return _Unpacker(io.BytesIO(content), parcels).load()


class _Packer(pickle.Pickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.parcels: dict[str, Parcel] = {}

    def persistent_id(self, thing: Any) -> str | None:
        if isinstance(thing, Parcel) and thing.files is not None:
            self.parcels[thing.digest] = thing
            return thing.digest
        return None


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, parcels: Mapping[str, Parcel]) -> None:
        super().__init__(file)
        self._parcels = parcels

    def persistent_load(self, digest: str) -> Parcel:
        return self._parcels[digest]
