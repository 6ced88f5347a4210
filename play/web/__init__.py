"""`samuel board`: the games in a browser, only on this machine.

requests.py  requests of the page, with types and bounds
library.py   evaluators and folders that were named on the command line
state.py     games: positions, replies, hints, and reasons in words
analysis.py  scores that deepen, and the curve of a game
connections.py  slow senders, and too many of them
server.py    who may ask, and the routes between these and the page (page/)
"""
