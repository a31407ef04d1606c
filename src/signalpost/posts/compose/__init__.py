"""From a body to the rows of a post: accounts, content, time, and what networks say of it. Writes nothing."""
