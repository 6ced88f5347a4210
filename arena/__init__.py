"""The arena: matches between evaluators, and what their results mean.

engines/      outside engines by GTP and NBoard, and our own as one
openings/     what games begin with: books of balanced positions, random moves, transcripts
sequential/   tests that stop by themselves
rating/       everyone's strength from the games of many
"""
