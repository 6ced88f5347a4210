"""Openings of a match: of a book, at random, or of a file, in an order that its seed gives."""
