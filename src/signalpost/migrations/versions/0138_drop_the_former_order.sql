-- outside a transaction
-- `target_queue` replaces it (0137). At each moment there is one of them for either version.
drop index concurrently if exists target_due;
