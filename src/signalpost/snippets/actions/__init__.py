"""What is done with snippets."""
