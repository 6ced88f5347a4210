"""`samuel board`: the games in a browser, on this machine alone.

requests.py  requests of the page, with types and bounds
library.py   evaluators and folders that were named on the command line
state.py     games: positions, replies, hints, reasons
reasons.py   the parts of a score in words
analysis.py  scores that deepen, and the curve of a game
guard.py     who may ask at all
connections.py  slow senders, and too many of them
server.py    the routes between these and the page (page/)
"""
