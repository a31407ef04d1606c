"""The introduction of the API reference and the descriptions of its tags."""

INTRODUCTION = """\
Publish to many social networks with one call, now or on schedule; signed webhooks report the result.

**Authentication.** Send `Authorization: Bearer KEY` with an API key or an access token. Keys that start with `sp_test_`
can only use the built-in sandbox; with such a key, the header `X-Test-Now` sets the time of a request,
and `POST /sandbox/clock` moves the time by which test posts go out.

**Errors** are `application/problem+json`. Act on `code`, whose meaning never changes; `errors` lists every issue with a
JSON pointer, `requestId` identifies the request, and `type` links to a page that explains the code.

**Pagination.** List responses are `{data, nextCursor, hasMore}`. Send `nextCursor` as `cursor` to get the next page;
`limit` is 1 to 100.

**Idempotency.** A POST with an `Idempotency-Key` can be repeated for 24 hours: it returns the first response again and
has no further effect.

**Versioning.** Fields, events and enum values may be added at any time; ignore those you do not know. Nothing is
removed under `/api/v1`.
"""
TAGS = {
    "Identity": "Users, sessions, workspaces, API keys and usage.",
    "Team": "Members of a workspace, their roles and profiles, and invitations.",
    "Audit log": "Who changed what in a workspace, when and from where.",
    "Event stream": "What changes in the workspace, as it happens.",
    "Request log": "The API calls of the last days: what came of each, how long it took and who made it.",
    "Feature flags": "Switches of the installation, for all workspaces or some.",
    "Profiles": "A profile is a brand, shop or person and holds its accounts. A link reposts from one to another.",
    "Platform accounts": "Accounts on social networks: connect, check and disconnect them.",
    "Platform invites": "Links by which people without an account here connect theirs.",
    "Media": "Images, videos and documents to attach to posts.",
    "Slot queues": "Weekly times of a profile. A post takes the next free one with `publishMode: slot`.",
    "Posts": "A post has one target per account. Publish it now or later; each target reports its own outcome.",
    "Queue": "Posts that are due to be published, and how publishing them went.",
    "Sandbox": "The clock by which test posts go out.",
    "Webhooks": "The endpoints that events are sent to, and every delivery.",
    "Analytics": "How posts and accounts did: null is unknown, and every figure says of how many posts it is.",
    "Billing": "What plans cost, what the workspace has, and its subscription by Stripe if the operator sells plans.",
    "Messaging-app link": "Your number at WhatsApp, from which you post, and the webhook by which its messages arrive.",
    "Service status": "Components, incidents and maintenance, uptime and subscriptions: public, and written by staff.",
    "Administration": "What staff of the installation see and start.",
    "Support": "Tickets, and suggestions with votes.",
    "Health": "Whether the service and its database are working.",
    "Events": "What your webhook receives. Verify the signature over the raw body before you parse it.",
}
