"""What is done with calendar links: made and ended by members, read by programs."""
