"""What happens to the queue: attempts, submitting, cancelling, retrying, removing."""
