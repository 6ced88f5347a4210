"""Openings: what the games of a match begin with, so that equal players do not repeat one game."""
