from tests.posts.conftest import emitted, statements

__all__ = ["emitted", "statements"]
