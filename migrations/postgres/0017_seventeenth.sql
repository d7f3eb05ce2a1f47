-- What a user wished to have forgotten stands before everything else that waits (G1), and an approval may have a grace.

-- 1: before everything else in the queue; it never changes. Such rows are few, so their order has an index of its own and the order of all
-- others keeps those that it had. Not by `status`: with it the index would look no better than that of an agent's own rows.
alter table candidates add column urgent bigint not null default 0 check (urgent in (0, 1));
create index candidates_urgent on candidates (urgent, expires_at, id) where urgent = 1;

-- From when on agents are told; null: at once.
alter table memories add column serve_from bigint;
