-- Whoever never chose a language has none, instead of English: decision 0452. This version reads that and does not write it.
alter table app_user alter column locale drop not null;
