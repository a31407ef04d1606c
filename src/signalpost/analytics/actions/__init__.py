"""Writes: schedule targets, ask networks for their numbers, and store the answers."""
