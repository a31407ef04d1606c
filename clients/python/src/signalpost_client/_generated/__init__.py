"""Generated from the OpenAPI document by `make clients`; nothing here is edited."""
