"""What is done with links to reports: made and ended by members, read by clients, mailed each month."""
