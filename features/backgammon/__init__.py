"""Features of backgammon; of two numbers the player's (who is to move) comes first.

counts      pips, blots, points made, primes, and how far the checkers have come
tesauro     the raw board, as TD-Gammon read it
pubeval     Tesauro's benchmark of 1993
"""

from __future__ import annotations

from samuel.features.backgammon import counts, pubeval, rolls, tesauro  # noqa: F401
