"""What happens to targets and to the queue, one verb a file."""
