"""Datasets: what is on disk, and what is made of it."""
