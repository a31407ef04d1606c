"""Files for posts: taken in, checked, cleaned of metadata, kept and handed out. It does not know what a post is."""
