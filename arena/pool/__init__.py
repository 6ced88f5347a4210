"""Pools: players on disk, rated against each other, to which new ones are added with few games.

`add` lets a newcomer play until its rating is known well enough, `Pool` reads what there is.
"""

from samuel.arena.pool.folder import POOL
from samuel.arena.pool.players import Added
from samuel.arena.pool.pool import Pool, add, remove

__all__ = ["POOL", "Added", "Pool", "add", "remove"]
