"""Endings of checkers with few pieces, solved exactly from the end backwards."""
