"""Evaluators over features, compiled: the forms that scikit-learn's estimators take."""
