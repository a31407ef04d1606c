"""Files for posts: received, checked, stripped of metadata, stored and served. It does not know what a post is."""
