"""Words and reading ease of what people read: `python docs/readability.py [--longest 10]`.

The measure is Flesch's reading ease (R. Flesch, "A new readability yardstick", 1948):
206.835 - 1.015 words per sentence - 84.6 syllables per word. Plain English has 60 to 70; a
scientific paper about 30. Code blocks and tables are left out of sentences, and a span of code
counts as one short word.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
GROUPS = {
    "README": ["README.md"],
    "guide": ["docs/*.md", "docs/games/*.md"],
    "CONTRIBUTING": ["CONTRIBUTING.md"],
    "CHANGELOG": ["CHANGELOG.md"],
    "results": ["docs/results/*.md"],
    "decisions": ["docs/decisions/*.md"],
}
_VOWELS = re.compile(r"[aeiouy]+")


def syllables(word: str) -> int:
    """Return the number of syllables of an English word: groups of vowels, less a silent e."""
    word = re.sub(r"[^a-z]", "", word.lower())
    silent = word.endswith("e") and not word.endswith(("le", "ee")) and len(word) > 2
    return max(1, len(_VOWELS.findall(word)) - silent)


def prose(markdown: str) -> str:
    """Return the sentences of a page of Markdown, a paragraph a line."""
    text = re.sub(r"^(```|~~~|:::).*?^\1.*?$", "", markdown, flags=re.S | re.M)
    text = re.sub(r"^(\|.*|#.*|\[.*\]:.*|<!--.*|---)$", "", text, flags=re.M)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"^\s*([-*]|\d+\.) ", "\n", text, flags=re.M)
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    return "\n".join(part for part in paragraphs if part)


def sentences(text: str) -> list[str]:
    """Return the sentences of paragraphs; one of fewer than three words is a label."""
    parts = re.split(r"(?<=[.!?])[\"')]*\s+(?=[\"'(A-Z`0-9])|\n", text)
    return [part for part in parts if len(part.split()) > 2]


def reading_ease(found: Iterable[str]) -> float:
    """Return Flesch's reading ease of sentences; nan where there is none."""
    found = list(found)
    words = [word for one in found for word in re.findall(r"[A-Za-z][\w'-]*", one)]
    if not words:
        return float("nan")
    per_word = sum(map(syllables, words)) / len(words)
    return 206.835 - 1.015 * len(words) / len(found) - 84.6 * per_word


def help_texts(root: Path = ROOT) -> list[str]:
    """Return what `--help` says: the text of every command and of every option."""

    def texts(entry: object) -> Iterable[str]:
        if isinstance(entry, dict):
            yield from (entry["about"] for _ in "1" if entry.get("about"))
            for value in entry.values():
                yield from texts(value)
        elif isinstance(entry, list):
            for value in entry:
                yield from texts(value)

    known = json.loads((root / "cli" / "options.json").read_text())
    kept = (re.sub(r"^Example: .*$", "", text, flags=re.M) for text in texts(known))
    return [re.sub(r"`[^`]*`", "code", text) for text in dict.fromkeys(kept)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--longest", type=int, default=0, help="sentences to show per page")
    parser.add_argument("--root", type=Path, default=ROOT, help="tree to measure")
    parser.add_argument("pages", nargs="*", type=Path, help="pages to measure one by one")
    asked = parser.parse_args()
    found = {str(page): page.read_text() for page in asked.pages}
    for name, patterns in GROUPS.items() if not found else ():
        pages = [page for pattern in patterns for page in sorted(asked.root.glob(pattern))]
        found[name] = "\n\n".join(page.read_text() for page in pages)
    rows = {name: (len(text.split()), sentences(prose(text))) for name, text in found.items()}
    if not asked.pages:
        texts = help_texts(asked.root)
        words = sum(len(text.split()) for text in texts)
        rows["help"] = (words, [one for text in texts for one in sentences(text)])
    print(f"{'':28} {'words':>7} {'reading ease':>13} {'words/sentence':>15} {'over 25':>8}")
    for name, (words, parts) in rows.items():
        if parts:
            mean = sum(len(one.split()) for one in parts) / len(parts)
            long = sum(len(one.split()) > 25 for one in parts)
            print(f"{name:28} {words:7} {reading_ease(parts):13.1f} {mean:15.1f} {long:8}")
            for one in sorted(parts, key=lambda part: -len(part.split()))[: asked.longest]:
                print(f"    {len(one.split())}: {one}")


if __name__ == "__main__":
    main()
