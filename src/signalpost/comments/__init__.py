"""Comments: what people write under published posts, and what the accounts answer. It collects nothing else."""
