"""Features of xiangqi; of two numbers the player's (who is to move) comes first.

pieces      material, piece-square tables, soldiers beyond the river
attack      mobility by kind of piece, and what threatens either palace

What both sides have alike is one number, the player's less the opponent's, whose board is turned.
"""

from __future__ import annotations

from samuel.features.xiangqi import attack, pieces  # noqa: F401
