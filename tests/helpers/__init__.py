"""What several test folders share: a client, factories, fake networks, servers and clocks."""
