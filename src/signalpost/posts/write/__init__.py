"""Creating a post, and the one writer of posts; what every change of a post needs."""
