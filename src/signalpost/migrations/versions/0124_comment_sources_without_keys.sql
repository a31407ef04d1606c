-- The row is written in the transaction that ends an attempt, of what that transaction has read. Its keys would lock the
-- rows of the workspace and the account, which all posts share. With the target the row goes.
alter table comment_source
    drop constraint comment_source_workspace_id_fkey,
    drop constraint comment_source_account_id_fkey;
