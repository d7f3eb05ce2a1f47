-- A second sort of export (G5): a person's own copy, which is always of the whole time.

-- SQLite changes no constraint in its place.
create table exports_with_copies (
  id text primary key,
  person_id text not null references people (id),
  sort text not null check (sort in ('audit', 'copy')),
  -- One agent; null: all. One user of it; null: everybody, or whoever has the name that lies sealed, in every agent.
  agent text,
  user_id text,
  from_at integer,
  to_at integer,
  bom integer not null,
  language text not null check (language in ('en', 'ja', 'zh')),
  state text not null check (state in ('queued', 'running', 'done', 'failed', 'expired')),
  -- Rows written, of about so many.
  done integer not null,
  total integer not null,
  -- The file in the data folder, its size and its SHA-256.
  file text,
  bytes integer,
  sha256 text,
  downloads integer not null,
  -- How often it was begun: one that ends its process each time is given up.
  attempt integer not null,
  epoch integer not null,
  lease_until integer,
  error text,
  created_at integer not null,
  finished_at integer,
  expires_at integer,
  sealed blob not null,
  check ((state = 'done') = (file is not null)),
  check ((state in ('queued', 'running')) = (lease_until is not null)),
  check (sort <> 'copy' or (from_at is null and to_at is null))
) strict;
insert into exports_with_copies
  (id, person_id, sort, agent, user_id, from_at, to_at, bom, language, state, done, total, file, bytes, sha256, downloads, attempt, epoch,
   lease_until, error, created_at, finished_at, expires_at, sealed)
select id, person_id, sort, agent, user_id, from_at, to_at, bom, language, state, done, total, file, bytes, sha256, downloads, attempt, epoch,
  lease_until, error, created_at, finished_at, expires_at, sealed
from exports;
drop table exports;
alter table exports_with_copies rename to exports;
create index exports_open on exports (lease_until) where state in ('queued', 'running');
create index exports_expiring on exports (expires_at) where state = 'done';
create index exports_agent on exports (agent, id);
