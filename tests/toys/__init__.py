"""Games that keep the kernels honest: a side that moves again, dice, and draws by rule."""

from tests.toys.dots_and_boxes import DOTS_AND_BOXES
from tests.toys.pig import PIG
from tests.toys.race import RACE
from tests.toys.retreat import CHECKED_RETREAT, RETREAT

TOYS = [DOTS_AND_BOXES, PIG, RACE]

__all__ = ["CHECKED_RETREAT", "DOTS_AND_BOXES", "PIG", "RACE", "RETREAT", "TOYS"]
