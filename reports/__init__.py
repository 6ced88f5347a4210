"""Reports: models compared on held-out games, in a table, in pictures and on a page.

`Comparison` and `compare` measure; `reports.figures` draws; `write_page` writes the page.
"""

from reports.compare import Compared, Comparison, compare
from reports.page import write_page

__all__ = ["Compared", "Comparison", "compare", "write_page"]
