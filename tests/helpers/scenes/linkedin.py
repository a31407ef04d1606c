"""LinkedIn in the simulator: an organization by the app of a partner. Its errors are in the fake."""

from simulator import Destination
from tests.helpers.scenes.scene import Scene

SCENE = Scene(
    create_call="POST /rest/posts",
    create_calls={"comment": "POST /rest/socialActions/{urn}/comments"},
    destinations=(Destination("4711", "organization", "Acme"),),
    app={"partner": True},
    scopes=(
        "openid",
        "profile",
        "w_organization_social",
        "w_organization_social_feed",
        "r_organization_social",
        "rw_organization_admin",
    ),
    code_seconds=1_800,
    converts=("video", "document"),
    refuses_duplicates=True,
    errors=(),
)
