"""What is done with feeds: set up, read, and turned into posts."""
