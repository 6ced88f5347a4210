"""A match, as a course, pictures, games and a page."""
