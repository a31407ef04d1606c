"""The languages of the pages: one module for each. `console/texts.py` lists them."""
