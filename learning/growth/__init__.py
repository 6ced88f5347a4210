"""Patterns grown from single squares."""
