"""Puts the rooms together: which routes, which event reaches whom, what the engine runs, and the command line."""
