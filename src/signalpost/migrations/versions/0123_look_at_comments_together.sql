-- What is due is found by its time, for all accounts at once, and looks of many posts are written in one statement:
-- decision 0448. A look moves the row in one index and is written to two: none may be added without need.
alter table comment_source add column listed integer not null default 0; -- comments that the last look found
drop index comment_source_due;
drop index comment_source_age;
-- A post that is not looked at any more waits for the day on which it is forgotten.
update comment_source set next_attempt_at = published_at + interval '32 days' where next_attempt_at is null;
create index comment_source_due on comment_source (next_attempt_at, target_id);
