"""What Facebook, Instagram and Threads share: the Graph API, its errors, and containers that are published later."""
