"""`samuel sprt`."""

from samuel.cli.common import result_command

run = result_command(
    "sprt",
    "samuel.arena.sprt_evaluation:evaluate_sprt",
    "calculating",
    "Example: samuel sprt runs/new-old",
    "Example: samuel sprt --pentanomial 365,16618,36229,16974,390 --elo0 0 --elo1 2",
)
