"""Learning from positions: targets, recipes of estimators, splits by game, metrics."""
