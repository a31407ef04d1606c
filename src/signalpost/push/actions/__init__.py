"""What is done with devices: turned on and off by people, notified by jobs."""
