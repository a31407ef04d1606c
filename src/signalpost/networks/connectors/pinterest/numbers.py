"""Reading the numbers of pins, one at a time: Pinterest reports the last 90 days of each."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from signalpost.networks.connectors.pinterest.calls import call
from signalpost.networks.contract import Metrics, NetworkSession
from signalpost.networks.responses import members

DAYS_MAX = 89
_TYPES = "IMPRESSION,SAVE,PIN_CLICK,OUTBOUND_CLICK,TOTAL_COMMENTS,TOTAL_REACTIONS,VIDEO_MRC_VIEW,VIDEO_V50_WATCH_TIME"


async def metrics(session: NetworkSession, remote_ids: Sequence[str]) -> Mapping[str, Metrics | None]:
    """Read the numbers of each pin: those of its whole life, where Pinterest gives them."""
    today = session.now().date()
    query = {
        "start_date": (today - timedelta(days=DAYS_MAX)).isoformat(),
        "end_date": today.isoformat(),
        "metric_types": _TYPES,
    }
    numbers: dict[str, Metrics | None] = {}
    for pin_id in remote_ids:
        response = await call(session, "GET", f"/v5/pins/{pin_id}/analytics", params=query, expect=(200, 404))
        if response.status == 404:
            numbers[pin_id] = None
        elif isinstance(report := members(response).get("all"), dict):
            numbers[pin_id] = _metrics({**_object(report, "summary_metrics"), **_object(report, "lifetime_metrics")})
    return numbers


def _metrics(values: Mapping[str, Any]) -> Metrics:
    watched = values.get("VIDEO_V50_WATCH_TIME")
    return Metrics(
        impressions=values.get("IMPRESSION"),
        views=values.get("VIDEO_MRC_VIEW"),
        likes=values.get("TOTAL_REACTIONS"),
        comments=values.get("TOTAL_COMMENTS"),
        saves=values.get("SAVE"),
        clicks=values.get("OUTBOUND_CLICK"),
        watch_time_seconds=watched // 1000 if isinstance(watched, int) else None,
    )


def _object(report: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = report.get(name)
    return value if isinstance(value, dict) else {}
