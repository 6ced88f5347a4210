"""Models compared, as tables, pictures and a page."""
