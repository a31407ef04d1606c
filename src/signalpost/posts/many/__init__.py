"""Many posts at once: imports, posts for several profiles, links between profiles, repetitions."""
