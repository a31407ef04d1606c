"""Links by which calendar programs show when posts go out. It writes no posts, and knows nothing of their networks."""
