"""Writing history, sealing it, verifying it, and deleting what is older than the plan keeps."""
