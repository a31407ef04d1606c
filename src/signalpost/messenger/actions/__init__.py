"""Linking numbers, receiving and handling messages, sending replies."""
