"""Web push: notifications on a person's devices while the console is closed. It does not decide what is worth one."""
