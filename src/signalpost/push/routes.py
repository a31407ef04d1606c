from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, HostNotFound, NotFound, TooManyItems, UnsafeAddress
from signalpost.push.actions import devices
from signalpost.push.schemas import PushDevice, PushDeviceCreate, PushDevices
from signalpost.web.caller import SIGNED_IN, Caller
from signalpost.web.fields import PushDeviceId
from signalpost.web.routing import Routes

routes = Routes("Identity")


@routes.get("/auth/push", scope=SIGNED_IN, across_workspaces=True)
async def get_push_devices(context: AppContext, db: Db, caller: Caller) -> PushDevices:
    """Return the devices on which you get notifications, and what a browser needs to become one.

    A device is a browser for as long as its session: it ends with that, or when its push service says that it is gone.
    """
    return await devices.read(context, db, caller)


@routes.post(
    "/auth/push",
    scope=SIGNED_IN,
    across_workspaces=True,
    history="action",
    raises=(Forbidden, UnsafeAddress, HostNotFound, TooManyItems),
)
async def create_push_device(context: AppContext, caller: Caller, data: PushDeviceCreate) -> PushDevice:
    """Get notifications in the browser of this session, by the web's own push services (RFC 8030, 8291, 8292).

    `data` is what `pushManager.subscribe` gave, with `publicKey` of `GET /auth/push` as `applicationServerKey`.
    """
    return await devices.turn_on(context, caller, data)


@routes.delete(
    "/auth/push/{id}", scope=SIGNED_IN, across_workspaces=True, status=204, history="action", raises=(NotFound,)
)
async def delete_push_device(device_id: PushDeviceId, db: Db, caller: Caller) -> None:
    """Get no more notifications on one of your devices."""
    await devices.turn_off(db, caller, device_id)


@routes.post(
    "/auth/push/{id}/test",
    scope=SIGNED_IN,
    across_workspaces=True,
    status=204,
    history="nothing",
    raises=(NotFound,),
)
async def test_push_device(device_id: PushDeviceId, db: Db, caller: Caller) -> None:
    """Send a notification to one of your devices, to see whether it arrives."""
    await devices.send_test(db, caller, device_id)
