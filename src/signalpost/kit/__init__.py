"""Tools that know no word of our domain: anything here could serve another product."""
