"""Why a position has its score: what each part of a model adds to it."""
