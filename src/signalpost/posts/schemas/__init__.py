"""What crosses the wire: bodies and query strings that clients send, and what the service answers."""
