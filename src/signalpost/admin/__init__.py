"""Administration: figures of the whole installation, its queue, and what staff start by hand. It owns no table."""
