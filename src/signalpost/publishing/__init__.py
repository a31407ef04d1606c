"""Publishing targets: claim, call, settle; the queue as callers see it. It knows networks only by their contract."""
