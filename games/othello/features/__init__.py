"""Features of Othello on each of its boards, the same everywhere: the basic ones, and all others.

Where there are two numbers, the player's (who is to move) comes first. The others stand by theme
in files of their own:

    mobility            moves by kind, and what they do
    numbers             basic numbers; discs that can, cannot or could be flipped
    discs               places of discs, groups; regions of empty squares, and who can move in them;
                        edges

Sources: the vocabulary is that of B. Rose, "Othello: a minute to learn, a lifetime to master"
(2005). P. Rosenbloom, "A world-championship-level Othello program" (1982; IAGO): the kinds of
mobility, potential mobility and stability. K.-F. Lee and S. Mahajan, "A pattern classification
approach to evaluation function learning" (1988) and "The development of a world class Othello
program" (1990; BILL): discs as features to combine. M. Buro,
"Improving heuristic mini-max search by supervised learning" (2002; Logistello): parity, and
features by stage.
"""

from __future__ import annotations

from samuel.games.othello.features import discs, mobility, numbers  # noqa: F401
