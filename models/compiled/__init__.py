"""Compiled models over features: what the estimators of scikit-learn are in the search."""
