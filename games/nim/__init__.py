"""Nim, normal and misère: rules, notation, and who wins by Bouton's theorem."""

GAMES = {"nim": "rules.GAME", "nim_misere": "rules.GAME_MISERE"}
