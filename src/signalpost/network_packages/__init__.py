"""Networks from installed packages: finding, examining and loading them, and keeping their faults to themselves.

A package runs with the rights of the service: whoever installs one trusts it as they trust the service. What is
contained here are faults, not attacks. Each package has a thread with an event loop of its own, so that one that hangs
or raises holds up nothing but itself.
"""
