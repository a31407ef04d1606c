-- Each of these rows is written at every round of posts.count. A full page sends the new version to another one, which
-- writes its index, too: with space beside them they stay where they are (HOT).
alter table post_count set (fillfactor = 50);
