"""What changes posts, one verb a file."""
