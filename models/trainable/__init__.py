"""Evaluations that learn while they play: weights that change, and the gradient of the score."""
