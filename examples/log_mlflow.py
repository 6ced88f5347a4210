"""Figures of a fit in MLflow; needs `pip install mlflow`.

python examples/log_mlflow.py, then mlflow ui --backend-store-uri sqlite:///runs/mlflow.db
"""

import sys

import mlflow

from samuel import SelfplayPlan, generate, train


def on_step(figures):
    event, step = figures.pop("event"), figures.pop("step")
    numbers = {name: value for name, value in figures.items() if not isinstance(value, str)}
    mlflow.log_metrics({f"{event}/{name}": value for name, value in numbers.items()}, step=step)


def main(folder: str = "runs", games: int = 2000) -> None:
    mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    plan = SelfplayPlan(game="connect_four", epsilon=0.1, seed=1)
    dataset = generate(plan, games, f"{folder}/four", jobs=-1)
    with mlflow.start_run():
        mlflow.log_param("model", "nnue")
        train(dataset, "nnue", out=f"{folder}/nnue", on_step=on_step)


if __name__ == "__main__":
    main(*sys.argv[1:2])
