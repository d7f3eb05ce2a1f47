-- Exports for auditors (E4): what was asked for, how far it is, and the file that came of it.

create table exports (
  id text primary key,
  person_id text not null references people (id),
  sort text not null check (sort in ('audit')),
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
  check ((state in ('queued', 'running')) = (lease_until is not null))
) strict;
create index exports_open on exports (lease_until) where state in ('queued', 'running');
create index exports_expiring on exports (expires_at) where state = 'done';
create index exports_agent on exports (agent, id);

-- What was written when a candidate was handed over or agreed to first. The row of either goes with the decision; its event commits to
-- these words, so they stay.
create table remarks (
  agent text not null,
  candidate_id text not null,
  number integer not null,
  user_id text not null,
  type text not null check (type in ('agreed', 'handed_over')),
  person_id text not null,
  at integer not null,
  sealed blob not null,
  primary key (agent, candidate_id, number),
  foreign key (agent, candidate_id) references candidates (agent, id)
) strict;

-- Which servings one event tells of: the first of them, and the place of each. '' is what was written before this was kept.
alter table servings add column batch text not null default '';
alter table servings add column place integer not null default 0;
-- When the event was written: at most a second after the answer.
alter table servings add column recorded_at integer not null default 0;
update servings set recorded_at = at;
create index servings_batch on servings (agent, batch, place);
