"""A provider for the OpenFeature SDK: what runs in this process may ask for our flags in a vendor-neutral way.

It needs the extra `openfeature`; the service itself never imports it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import FlagNotFoundError, ProviderNotReadyError, TargetingKeyMissingError, TypeMismatchError
from openfeature.flag_evaluation import FlagResolutionDetails, FlagValueType, Reason
from openfeature.provider import AbstractProvider, Metadata

from signalpost.context import AppContext
from signalpost.flags.cache import FlagCache
from signalpost.flags.evaluation import FlagState, Subject, is_on
from signalpost.kit import ids


class SignalpostProvider(AbstractProvider):
    """Our flags. The targeting key is the id of a workspace (`wsp_…`); attributes are `plan` and `userId` (`usr_…`).

    The asynchronous methods read the flags again when that was some seconds ago; the others use what was read last.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self._cache = context.state(FlagCache)

    def get_metadata(self) -> Metadata:
        return Metadata(name="signalpost")

    def resolve_boolean_details(
        self,
        flag_key: str,
        default_value: bool,  # noqa: ARG002, FBT001 - the signature of the SDK, which answers with it after an error
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[bool]:
        if not self._cache.states:
            raise ProviderNotReadyError("no flag was read yet; await a value first")
        return _resolve(self._cache.states, flag_key, evaluation_context)

    async def resolve_boolean_details_async(
        self,
        flag_key: str,
        default_value: bool,  # noqa: ARG002, FBT001 - see above
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[bool]:
        return _resolve(await self._cache.current(self._context), flag_key, evaluation_context)

    def resolve_string_details(self, flag_key: str, *_: Any, **__: Any) -> FlagResolutionDetails[str]:
        raise _not_boolean(flag_key)

    def resolve_integer_details(self, flag_key: str, *_: Any, **__: Any) -> FlagResolutionDetails[int]:
        raise _not_boolean(flag_key)

    def resolve_float_details(self, flag_key: str, *_: Any, **__: Any) -> FlagResolutionDetails[float]:
        raise _not_boolean(flag_key)

    def resolve_object_details(
        self, flag_key: str, *_: Any, **__: Any
    ) -> FlagResolutionDetails[Sequence[FlagValueType] | Mapping[str, FlagValueType]]:
        raise _not_boolean(flag_key)


def _not_boolean(flag_key: str) -> TypeMismatchError:
    return TypeMismatchError(f"{flag_key[:100]}: every flag is a boolean")


def _resolve(
    states: Mapping[str, FlagState], flag_key: str, context: EvaluationContext | None
) -> FlagResolutionDetails[bool]:
    if (state := states.get(flag_key)) is None:
        raise FlagNotFoundError(f"no flag is called {flag_key[:100]}")
    attributes = context.attributes if context else {}
    plan, user = attributes.get("plan"), attributes.get("userId")
    workspace_id = ids.decode("wsp", (context.targeting_key if context else None) or "")
    if workspace_id is None:
        raise TargetingKeyMissingError("the targeting key is the id of a workspace, such as wsp_…")
    subject = Subject(
        workspace_id=workspace_id,
        plan=plan if isinstance(plan, str) else None,
        user_id=ids.decode("usr", user) if isinstance(user, str) else None,
    )
    reason = Reason.TARGETING_MATCH if state.enabled else Reason.DISABLED
    return FlagResolutionDetails(is_on(state, subject), reason=reason)
