"""Curves of a learning run in TensorBoard; needs `pip install tensorboardX`.

python examples/log_tensorboard.py, then tensorboard --logdir runs/curves
"""

import sys

from tensorboardX import SummaryWriter

from samuel import LearnOptions, learn


def main(folder: str = "runs/curves", games: int = 1000, generations: int = 4) -> None:
    with SummaryWriter(folder) as writer:

        def on_step(figures):
            event, step = figures.pop("event"), figures.pop("step")
            for name, value in figures.items():
                if not isinstance(value, str):
                    writer.add_scalar(f"{event}/{name}", value, step)

        options = LearnOptions(game="connect_four", games=games)
        learn(f"{folder}/run", options, generations=generations, on_step=on_step)


if __name__ == "__main__":
    main(*sys.argv[1:2])
