"""The pages. As a package, so that its services end when a process has run the last test here (`scope="package"`)."""
