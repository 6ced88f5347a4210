"""Addresses of outside engines: protocol, command, and further settings.

    gtp:gtp-rhino --level=3
    NTest=nboard[folder=/opt/ntest,start=90]:./mNTest7 x
    gnubg:gnubg -t -q -r
    uci[Skill Level=-5]:fairy-stockfish
    gnubg[depth=3]:gnubg -t -q -r
    gtp[limit=none]:./x --level 4

One line says all, so that a match, a tournament and a process elsewhere take the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from samuel.common.errors import UserError, nearest, require_number, unknown
from samuel.search.score import MOST_DEPTH

N = TypeVar("N", int, float)
PROTOCOLS = ("gtp", "nboard", "gnubg", "gomocup", "uci", "ucci")
WITH_SETTINGS = ("uci", "ucci")
"""Those in which an engine has settings of its own."""
LONGEST_START = 86_400.0
_FORM = re.compile(
    rf"(?:(?P<label>[^=:\[\]]*)=)?(?P<protocol>{'|'.join(PROTOCOLS)})"
    r"(?:\[(?P<options>[^\]]*)\])?:(?P<command>.*)",
    re.DOTALL,
)
_NUMBERS = ("start", "depth")
_OPTIONS = ("folder", "limit", *_NUMBERS)
_LIST = ", ".join(f"{name}:" for name in PROTOCOLS[:-1]) + f" or {PROTOCOLS[-1]}:"


@dataclass(frozen=True)
class Address:
    """Address of an engine."""

    text: str
    protocol: str
    command: str
    label: str = ""
    folder: str | None = None
    start: float | None = None
    depth: int | None = None
    is_unlimited: bool = False  # it plays by the limits of its own command
    settings: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read `NAME=PROTOCOL[folder=F,start=S,depth=N,limit=none]:COMMAND`; most is optional."""
        # In the brackets of WITH_SETTINGS other names are the engine's own: `Style=a,b` has a value
        # with a comma, and `Clear Hash=`, or `Clear Hash` as the first, is a button, which has
        # none.
        found = _FORM.fullmatch(text)
        if found is None or not found["command"].strip():
            raise UserError(
                f"{text!r} names no engine; write {_LIST} and the command "
                "that runs it, such as 'gtp:gtp-rhino --level=5'"
            )
        if found["label"] is not None and not found["label"].strip():
            raise UserError(f"{text!r} needs a name before the =, such as NTest=nboard:./x")
        options: dict[str, str] = {}
        last = ""
        """The option that a part without = goes on with: text that may have commas."""
        for part in filter(None, (found["options"] or "").split(",")):
            name, equals, value = (x.strip() for x in part.partition("="))
            if last and not equals:
                options[last] += f",{part.rstrip()}"
                continue
            is_own = name and name not in _OPTIONS and found["protocol"] in WITH_SETTINGS
            if not is_own and not (equals and name in _OPTIONS):
                how = "write folder=F,start=S,depth=N or limit=none"
                if name in _OPTIONS:
                    raise UserError(f"option {name} of an engine needs a value; {how}")
                raise unknown("option of an engine", name, _OPTIONS, how)
            options[name], last = value, "" if name in (*_NUMBERS, "limit") or not equals else name
        _require_limit(found["protocol"], options)
        return cls(
            text,
            found["protocol"],
            found["command"],
            (found["label"] or "").strip(),
            options.get("folder"),
            _number("start", float, options["start"], 1e-3, LONGEST_START)
            if "start" in options
            else None,
            _number("depth", int, options["depth"], 1, MOST_DEPTH) if "depth" in options else None,
            "limit" in options,
            tuple((name, value) for name, value in options.items() if name not in _OPTIONS),
        )

    @property
    def name(self) -> str:
        """Name in tables: the label, or the program with the options that tell it apart."""
        program, *options = self.command.split()
        told = [] if self.depth is None else [("depth", str(self.depth))]
        own = [f"{name}={value}" for name, value in (*told, *self.settings)]
        return self.label or " ".join([Path(program).name, *options, *own])

    @property
    def identity(self) -> str:
        """Identity of the engine, which does not depend on its label or its speed."""
        return self._written()

    def _written(self, *first: tuple[str, object]) -> str:
        limit = "none" if self.is_unlimited else None
        own = [("folder", self.folder), ("depth", self.depth), ("limit", limit), *self.settings]
        told = ",".join(f"{name}={value}" for name, value in (*first, *own) if value is not None)
        return f"{self.protocol}{f'[{told}]' * bool(told)}:{self.command}"

    def but(self, label: str, settings: Mapping[str, str]) -> Address:
        """Return the address with another label and other values of some of its settings."""
        changed = replace(self, settings=tuple({**dict(self.settings), **settings}.items()))
        text = changed._written(("start", self.start))
        return Address.parse(f"{label}={text}" if label else text)


def is_engine(name: str) -> bool:
    """Return whether a player's name stands for an outside engine."""
    return _FORM.fullmatch(name) is not None


def require_no_slip(name: str) -> None:
    """Raise UserError where a player's name has a protocol before its colon that is no protocol."""
    before, colon, _ = name.partition(":")
    protocol = before.rpartition("=")[2].partition("[")[0]
    if colon and nearest(protocol, PROTOCOLS) and not Path(name).exists():
        raise unknown("protocol of engines", protocol, PROTOCOLS)


def _require_limit(protocol: str, options: Mapping[str, str]) -> None:
    if "limit" not in options:
        return
    if options["limit"] != "none":
        raise UserError(f"limit of an engine must be none (got {options['limit']!r}); leave it out")
    if "depth" in options:
        raise UserError("limit=none and depth=N of an engine cannot be given together")
    if protocol in WITH_SETTINGS:
        raise UserError(f"limit=none is not for {protocol}: its engines think until their limit")


def _number(name: str, kind: type[N], text: str, least: N, most: N) -> N:
    try:
        number: object = kind(text)
    except ValueError:
        number = text
    require_number(name, number, least, most)
    return kind(text)
