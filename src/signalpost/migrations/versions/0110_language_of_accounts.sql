-- A profile can have accounts in several languages.
alter table account
    add column language text;              -- of its posts, where a network asks for it; null: the profile's
