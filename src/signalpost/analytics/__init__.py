"""Numbers of published posts: asked of the networks on a schedule, and kept as a history. It publishes nothing."""
