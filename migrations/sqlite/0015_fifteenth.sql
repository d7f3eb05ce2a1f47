-- A hold that came with an import names whoever placed it where it comes from: nobody of the people here. SQLite takes no constraint off a
-- table, so the table is made anew.
create table holds_of_anybody (
  id text primary key,
  agent text,
  user_id text,
  lookup blob,
  person_id text not null,
  -- Null: until it is released.
  until integer,
  created_at integer not null,
  released_at integer,
  released_by text,
  sealed blob not null,
  check ((agent is null) = (lookup is not null)),
  check (user_id is null or agent is not null)
) strict;
insert into holds_of_anybody (id, agent, user_id, lookup, person_id, until, created_at, released_at, released_by, sealed)
select id, agent, user_id, lookup, person_id, until, created_at, released_at, released_by, sealed
from holds;
drop table holds;
alter table holds_of_anybody rename to holds;
create index holds_agent on holds (agent, user_id) where released_at is null and agent is not null;
create index holds_lookup on holds (lookup) where released_at is null and lookup is not null;
