"""Changes to posts: one module for each verb, and the steps that they share."""
