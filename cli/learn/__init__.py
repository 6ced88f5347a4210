"""`samuel learn`: runs of generations, and comparisons of algorithms."""

from samuel.cli.app import group_app
from samuel.cli.learn.run import run as learn

app = group_app("learn")
app.default(learn)
