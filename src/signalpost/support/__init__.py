"""Support: tickets with messages between users and staff, and suggestions with votes. It solves nothing by itself."""
