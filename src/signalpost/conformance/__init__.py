"""The conformance suite: what every connector must do, run against a fake of its network (`signalpost networks check`).

It needs no database and no network, so a package runs it in its own tests: `signalpost.conformance.suite.run`.
"""
