"""Selection of features that are worth having."""
