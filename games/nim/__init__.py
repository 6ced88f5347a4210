"""Nim, normal and misère: rules, notation, and who wins by Bouton's theorem."""
