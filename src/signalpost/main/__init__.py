"""Connects the rooms: routes, hooks, subscribers, what the engine runs, and the command line."""
