"""Rote learning: positions met in play, with what searches found of them (A. Samuel, 1959)."""
