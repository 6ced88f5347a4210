"""Reports: models compared on held-out games, in a table, in pictures and on a page.

`compare` measures; `Comparison` holds what it found; `write_page` writes the page.
"""

from samuel.reports.compare import compare
from samuel.reports.comparison import Compared, Comparison
from samuel.reports.page import write_page

__all__ = ["Compared", "Comparison", "compare", "write_page"]
