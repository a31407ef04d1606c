"""Writes: open, answer, move, delete, vote, and mail those concerned."""
