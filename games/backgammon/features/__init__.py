"""Features of backgammon; of two numbers the player's (who is to move) comes first.

counts      pips, blots, points made, primes, and how far the checkers have come
rolls       what throws can do; the raw board, as TD-Gammon read it
pubeval     Tesauro's benchmark of 1993
"""

from __future__ import annotations

from samuel.games.backgammon.features import counts, pubeval, rolls  # noqa: F401
