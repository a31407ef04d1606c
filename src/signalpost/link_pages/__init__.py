"""Link pages: a public page of a profile with its links, and how often each is clicked. No script, no cookie."""
