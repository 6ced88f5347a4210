"""The Othello League's way of telling evaluators apart: games at one ply with random moves."""

from samuel.arena.league.league import LeagueResult, default_opponent, league, require_playable

__all__ = ["LeagueResult", "default_opponent", "league", "require_playable"]
