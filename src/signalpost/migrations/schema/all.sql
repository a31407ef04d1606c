-- The schema at revision 0083, in the order in which it is made. What came later is in `versions`.
-- With psql: psql DATABASE -f schema/all.sql
\ir isolation.sql
\ir identity.sql
\ir engine.sql
\ir requests.sql
\ir plans.sql
\ir profiles.sql
\ir media.sql
\ir accounts.sql
\ir post.sql
\ir post_writes.sql
\ir post_counts.sql
\ir post_search.sql
\ir series.sql
\ir audit.sql
\ir webhooks.sql
\ir metrics.sql
\ir mail.sql
\ir billing.sql
\ir messenger.sql
\ir support.sql
\ir status.sql
\ir installation.sql
