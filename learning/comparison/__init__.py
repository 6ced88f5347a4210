"""Models on the same held-out games: `compare` measures, `Comparison` holds what it found."""

from samuel.learning.comparison.compare import compare
from samuel.learning.comparison.comparison import Compared, Comparison

__all__ = ["Compared", "Comparison", "compare"]
