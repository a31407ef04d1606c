-- Each look at a network counts what is stored of a target, and a target that is deleted takes its comments along.
create index comment_target on comment (target_id);
