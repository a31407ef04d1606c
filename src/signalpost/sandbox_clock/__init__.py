"""The clock of the sandbox: test posts of a workspace go out as if it were later. It never looks at live posts."""
