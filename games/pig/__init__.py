"""Pig, to any number of points: rules, notation, and the exact chances of winning."""
