"""The arena: matches between evaluators, and what their results mean.

engines/      outside engines: UCI, UCCI, GTP, NBoard, Gomocup, GNU Backgammon
openings/     what games begin with: books of balanced positions, random moves, transcripts
sequential/   tests that stop by themselves
"""
