"""Features of chess; each number is the player's (who is to move) less the opponent's.

material    pieces, where they stand, and whose move it is
pawns       the structure of the pawns, and those that nobody stops
activity    attacks of pieces: mobility, kings and threats
places      rooks on files, outposts and the king's shelter
"""

from __future__ import annotations

from samuel.games.chess.features import material  # isort: skip  # noqa: F401
from samuel.games.chess.features import pawns  # isort: skip  # noqa: F401
from samuel.games.chess.features import activity  # isort: skip  # noqa: F401
from samuel.games.chess.features import places  # isort: skip  # noqa: F401
