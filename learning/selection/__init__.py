"""Which features are worth having."""
