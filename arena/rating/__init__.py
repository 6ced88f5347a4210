"""Ratings of many players: `rate` the `Games` between them (ratings.py).

The model is that of bradley_terry.py, intervals come from resampling.py.
"""
