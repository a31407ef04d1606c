"""Groups of tests that share something expensive: with several workers, all of a group run in one."""

import os

import pytest


@pytest.mark.xdist_group("alone")
@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="one process runs all tests anyway")
def test_a_worker_knows_the_group_of_a_test(request: pytest.FixtureRequest) -> None:
    """pytest-xdist adds the group to the id; the controlling process keeps ids with one group together."""
    assert request.node.nodeid.endswith("@alone")
