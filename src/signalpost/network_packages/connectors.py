"""The connector that is registered for a package: it has the same facts, and its functions run in the package's thread.

What a function returns is examined: a value that the contract does not allow ends as `PackageFailed`, as if the network
had given an answer that cannot be used.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

from signalpost.network_packages.containment import PackageFailed, PackageThread
from signalpost.networks import results
from signalpost.networks.contract import (
    ApiError,
    Connector,
    NetworkSession,
    OAuth,
    OAuthApp,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    PreflightIssue,
)
from signalpost.networks.responses import response_text


def contained(connector: Connector, thread: PackageThread) -> Connector:
    """Return a connector whose functions run in the thread of its package."""
    names = [name for name in results.RESULTS if getattr(connector, name, None) is not None]
    functions = {name: _awaited(name, getattr(connector, name), thread) for name in names}
    functions["explain"] = _explain(connector, thread)
    if connector.preflight is not None:
        functions["preflight"] = _preflight(connector, thread)
    return replace(connector, **functions, oauth=None if connector.oauth is None else _oauth(connector.oauth, thread))


def _oauth(oauth: OAuth, thread: PackageThread) -> OAuth:
    pushed = oauth.pushed
    if pushed is not None:
        pushed = replace(
            pushed, push=_awaited("push", pushed.push, thread), client=_at_once("client", pushed.client, thread),
            describe=_at_once("describe", pushed.describe, thread),
        )  # fmt: skip
    register = None if oauth.register is None else _awaited("register", oauth.register, thread)
    return replace(oauth, exchange=_awaited("exchange", oauth.exchange, thread), register=register, pushed=pushed)


def _awaited(name: str, function: Callable[..., Awaitable[Any]], thread: PackageThread) -> Any:
    @wraps(function)
    async def run(*arguments: Any, **named: Any) -> Any:
        result = await thread.call(
            name, lambda *crossed: function(*crossed, **named), *arguments, secrets=_secrets(arguments)
        )  # fmt: skip
        return _examined(name, result)

    return run


def _at_once(name: str, function: Callable[..., Any], thread: PackageThread) -> Any:
    @wraps(function)
    def run(*arguments: Any) -> Any:
        return _examined(name, thread.call_now(name, function, *arguments))

    return run


def _explain(connector: Connector, thread: PackageThread) -> Callable[[ApiError], Outcome]:
    """Return an `explain` that never raises: if the package cannot say what an answer means, nobody knows."""
    run = _at_once("explain", connector.explain, thread)

    def explain(error: ApiError) -> Outcome:
        try:
            outcome: Outcome = run(error)
        except PackageFailed as failure:
            return OutcomeUnknown(
                message=failure.detail, http_status=error.response.status, response=response_text(error.response)
            )
        return outcome

    return explain


def _preflight(connector: Connector, thread: PackageThread) -> Any:
    """Return a `preflight` that refuses what the package cannot check."""
    run = _at_once("preflight", connector.preflight or _no_issues, thread)

    def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
        try:
            issues: Sequence[PreflightIssue] = run(outgoing, account_facts)
        except PackageFailed as failure:
            return [PreflightIssue(f"{connector.facts.key}.package.failed", "", failure.detail)]
        return issues

    return preflight


def _no_issues(_outgoing: Outgoing, _facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    return ()


def _examined(name: str, result: Any) -> Any:
    if (problem := results.problem(name, result)) is not None:
        if inspect.iscoroutine(result):
            result.close()  # it would be reported as never awaited
        raise PackageFailed(f"The package's {problem}.")
    return result


def _secrets(arguments: Sequence[Any]) -> tuple[str, ...]:
    """Return all secrets among the arguments of a function: of the account, the app, a code, a credential form."""
    values: list[str] = []
    for argument in arguments:
        if isinstance(argument, NetworkSession):
            values += argument.secrets.values()
            values += [argument.app.client_secret] if argument.app else []
        elif isinstance(argument, OAuthApp):
            values.append(argument.client_secret)
        elif isinstance(argument, Mapping):
            values += [value for value in argument.values() if isinstance(value, str)]
        else:
            values += [str(getattr(argument, name)) for name in ("code", "code_verifier") if hasattr(argument, name)]
    return tuple(values)
