"""A run of the generation loop, as tables, a curve and a page."""
