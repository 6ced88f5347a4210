"""The compiled machine under everything: one decorator over numba, and its disk cache."""
