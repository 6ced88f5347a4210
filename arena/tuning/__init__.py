"""Tuning of search parameters by matches."""
