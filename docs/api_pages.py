"""Signatures of the reference with short types, and the keywords that stand for option classes."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from samuel.common.options import (
    Option,
    OptionClass,
    fields_of,
    hints_of,
    option_class_of,
    parts_of,
)
from samuel.common.public import RESOLVERS, options_of

OMITTED = ast.Constant(...)
"""Default of a parameter whose value is long to write: an object, a function, a new list."""


def short(kind: Any) -> str:
    """Return the name of a type without its modules and without the marks of options."""
    if typing.get_origin(kind) is typing.Annotated:
        return short(typing.get_args(kind)[0])
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys(map(short, typing.get_args(kind))))
    if kind in (None, types.NoneType, ...):
        return "..." if kind is ... else "None"
    if isinstance(kind, list):
        return f"[{', '.join(map(short, kind))}]"
    name = getattr(typing.get_origin(kind) or kind, "__name__", str(kind).rpartition(".")[2])
    if typing.get_origin(kind) is typing.Literal:
        return f"Literal[{', '.join(map(repr, typing.get_args(kind)))}]"
    arguments = typing.get_args(kind)
    return f"{name}[{', '.join(map(short, arguments))}]" if arguments else name


class _Shortened(ast.NodeTransformer):
    """Annotations without modules, marks of options and names that stand for these."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names = names

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if ast.unparse(node.value).endswith("Annotated"):
            assert isinstance(node.slice, ast.Tuple)
            return typing.cast(ast.AST, self.visit(node.slice.elts[0]))
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return ast.Name(node.attr)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        kind = self.names.get(node.id)
        return ast.parse(short(kind), mode="eval").body if _has_marks(kind) else node


def _has_marks(kind: Any) -> bool:
    """Return whether an annotation, or a part of it, has marks of options."""
    is_marked = typing.get_origin(kind) is typing.Annotated
    return is_marked or any(map(_has_marks, typing.get_args(kind)))


def shortened(kind: Any, names: Mapping[str, Any]) -> ast.expr | None:
    """Return an annotation, as text or as an object, with short names."""
    if kind in (inspect.Parameter.empty, ""):
        return None
    if not isinstance(kind, str):
        return ast.parse(short(kind), mode="eval").body
    found: ast.expr = _Shortened(names).visit(ast.parse(kind, mode="eval").body)
    return found


def _default(value: Any) -> ast.expr:
    """Return a short default as it is written, and `...` for an object, a function or a list."""
    text = repr(value)
    return ast.parse(text, mode="eval").body if _is_plain(value) and len(text) < 30 else OMITTED


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or type(value) in (bool, int, float, str)


@dataclasses.dataclass(frozen=True)
class _Shown:
    """A parameter as the reference shows it."""

    name: str
    kind: ast.expr | None
    default: ast.expr | None
    marks: str = ""  # * or ** of further arguments
    is_keyword: bool = False

    def __str__(self) -> str:
        text = self.marks + self.name + (f": {ast.unparse(self.kind)}" if self.kind else "")
        return text if self.default is None else f"{text} = {ast.unparse(self.default)}"


def _of_dataclass(held: Any) -> list[_Shown]:
    found = []
    for field in dataclasses.fields(held):
        home = next(
            one for one in held.__mro__ if field.name in vars(one).get("__annotations__", ())
        )
        default = None
        if field.default_factory is not dataclasses.MISSING:
            default = OMITTED
        elif field.default is not dataclasses.MISSING:
            default = _default(field.default)
        if field.init:
            kind = shortened(field.type, vars(sys.modules[home.__module__]))
            found.append(_Shown(field.name, kind, default, is_keyword=field.kw_only))
    return found


def _of_function(function: Any, is_bound: bool) -> list[_Shown]:
    names = getattr(inspect.unwrap(function), "__globals__", {})
    found = []
    for one in [*inspect.signature(function).parameters.values()][is_bound:]:
        marks = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        default = None
        if one.default is not one.empty:
            default = _default(one.default)
        kind = shortened(one.annotation, names)
        if kind is not None and hasattr(function, "__wrapped__"):
            kind = _with_texts(kind, hints_of(inspect.unwrap(function))[one.name], one.default)
        found.append(_Shown(one.name, kind, default, marks, one.kind is one.KEYWORD_ONLY))
    return found


def _with_texts(shown: ast.expr, kind: Any, default: Any) -> ast.expr:
    """Add str to the type of an object that a public function makes of a text, and its None."""
    parts, text = parts_of(kind), ast.unparse(shown)
    if str not in parts and any(getattr(part, "__name__", "") in RESOLVERS for part in parts):
        text = f"{text.removesuffix(' | None')} | str" + " | None" * text.endswith(" | None")
    if default is None and types.NoneType not in parts and text != "Any":
        text += " | None"
    return ast.parse(text, mode="eval").body


def parameters_of(what: str, shown: Any, name: str = "") -> list[_Shown]:
    """Return the parameters of a class, a function or a method."""
    if what == "class" and dataclasses.is_dataclass(shown):
        return _of_dataclass(shown)
    if what == "class":
        return _of_function(shown.__init__, True)
    return _of_function(shown, what == "method" and _has_self(name, shown))


def _has_self(name: str, method: Any) -> bool:
    """Return whether the first parameter of a method is its object."""
    if inspect.ismethod(method):
        return False
    *place, own = name.split(".")
    owner: Any = sys.modules[place[0]]
    for part in place[1:]:
        owner = getattr(owner, part)
    return not isinstance(inspect.getattr_static(owner, own), staticmethod)


def signature(
    app: Any, what: str, name: str, shown: Any, options: Any, given: str | None, returns: str | None
) -> tuple[str, str | None] | None:
    """Return the signature that a page of the reference shows."""
    if what not in ("class", "function", "method") or given is None:
        return None
    parts, is_after_star = [], False
    for one in parameters_of(what, shown, name):
        if one.is_keyword and not is_after_star:
            parts.append("*")
        is_after_star = is_after_star or one.is_keyword or one.marks == "*"
        parts.append(str(one))
    kind = None
    if what != "class":
        function = inspect.unwrap(shown)
        annotation = inspect.signature(function).return_annotation
        kind = shortened(annotation, getattr(function, "__globals__", {}))
    return f"({', '.join(parts)})", ast.unparse(kind) if kind else None


def add_types(app: Any, what: str, name: str, shown: Any, options: Any, lines: list[str]) -> None:
    """Add the type of each parameter to its entry in a docstring."""
    if what not in ("class", "function", "method"):
        return
    kinds = {one.name: one.kind for one in parameters_of(what, shown, name) if one.kind}
    section = ""
    for number, line in enumerate(lines):
        if re.match(r"-{3,}$", line):
            section = lines[number - 1]
        names = [part.strip(" *") for part in line.split(",")]
        if section in ("Parameters", "Attributes") and names[0] in kinds:
            lines[number] = f"{line} : {ast.unparse(kinds[names[0]])}"


def keywords(app: Any, what: str, name: str, shown: Any, options: Any, lines: list[str]) -> None:
    """Add the fields of option classes that are keywords of a function or class as well."""
    is_class = isinstance(shown, type) and issubclass(shown, OptionClass)
    is_public = what == "function" and (hasattr(shown, "__wrapped__") or name == "samuel.learn")
    if not is_class and not is_public:
        return
    held = {one: option_class_of(kind) for one, kind in hints_of(inspect.unwrap(shown)).items()}
    own, text = name.rpartition(".")[2], []
    known = fields_of(shown) if is_class else options_of(shown)
    for parameter, inner in held.items():
        if inner is not None:
            found = [one for one in known.values() if one.parameter == parameter]
            if not text:
                text = _introduction(own, parameter, inner, [one.name for one in found])
            text += _entries(parameter, inner, found)
    ends = [number for number, line in enumerate(lines) if line.startswith(".. rubric::")]
    place = ends[0] if ends else len(lines)
    lines[place:place] = ["", *text, ""]


def _introduction(
    own: str, parameter: str, held: type[OptionClass], names: Sequence[str]
) -> list[str]:
    example = "depth" if "depth" in names else names[0]
    return [
        ".. rubric:: Keywords of option classes",
        "",
        f"Each field of these classes is a keyword, too: ``{own}(..., {example}=...)`` is the same",
        f"call as ``{own}(..., {parameter}={held.__name__}({example}=...))``.",
        "",
    ]


def _entries(parameter: str, held: type[OptionClass], found: Sequence[Option]) -> list[str]:
    """Return the keywords of one parameter: names if the class has a page, else texts, too."""
    others = {one.name: [also.name for also in one.also_called] for one in found}
    named = {
        name: f"``{name}``" + "".join(f" (or ``{also}``)" for also in more)
        for name, more in others.items()
    }
    if held.__name__ in _documented():
        title = f"``{parameter}``: :obj:`~samuel.{held.__name__}`"
        return [title, f"   {', '.join(named.values())}", ""]
    text = [f"``{parameter}``: {held.__name__}"]
    for one in found:
        text += [f"   {named[one.name]} : *{short(one.kind)}*", f"      {one.about}", ""]
    return text


def _documented() -> set[str]:
    page = Path(__file__).with_name("reference.rst").read_text()
    return set(re.findall(r"^   (\w+)$", page, re.MULTILINE))


def connect(app: Any) -> None:
    """Connect the functions above to Sphinx; numpydoc reads docstrings between the last two."""
    app.connect("autodoc-process-signature", signature)
    app.connect("autodoc-process-docstring", add_types, priority=100)
    app.connect("autodoc-process-docstring", keywords, priority=900)
