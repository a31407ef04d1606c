"""Links by which clients read how the posts of a month did, and mails that bring them each month. It counts nothing."""
