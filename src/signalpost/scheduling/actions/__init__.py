"""Writes of slot queues, and taking their slots."""
