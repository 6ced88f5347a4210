"""Openings of a book or a file: what games begin with, so that equal players do not repeat one."""
