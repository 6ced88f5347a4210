"""Reports: pictures and pages of what was measured, played and learned; they only draw."""

from samuel.reports.comparison.page import write_page
from samuel.reports.generations.page import write_generations

__all__ = ["write_generations", "write_page"]
