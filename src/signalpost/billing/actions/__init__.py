"""What changes subscriptions. Stripe has the truth: it is changed there, and then read again."""
