"""`samuel models`: evaluators, recipes and features, and files of models."""

from samuel.cli.app import group_app
from samuel.cli.models.listing import run

app = group_app("models")
app.default(run)
