"""Slot queues: named lists of weekly wall times per profile, and which of these times are free. It writes no posts."""
