-- Exports for auditors (E4): what was asked for, how far it is, and the file that came of it.

create table exports (
  id text primary key,
  person_id text not null references people (id),
  sort text not null check (sort in ('audit')),
  -- One agent; null: all. One user of it; null: everybody, or whoever has the name that lies sealed, in every agent.
  agent text,
  user_id text,
  from_at bigint,
  to_at bigint,
  bom boolean not null,
  language text not null check (language in ('en', 'ja', 'zh')),
  state text not null check (state in ('queued', 'running', 'done', 'failed', 'expired')),
  -- Rows written, of about so many.
  done bigint not null,
  total bigint not null,
  -- The file in the data folder, its size and its SHA-256.
  file text,
  bytes bigint,
  sha256 text,
  downloads bigint not null,
  -- How often it was begun: one that ends its process each time is given up.
  attempt bigint not null,
  epoch bigint not null,
  lease_until bigint,
  error text,
  created_at bigint not null,
  finished_at bigint,
  expires_at bigint,
  sealed bytea not null,
  check ((state = 'done') = (file is not null)),
  check ((state in ('queued', 'running')) = (lease_until is not null))
);
create index exports_open on exports (lease_until) where state in ('queued', 'running');
create index exports_expiring on exports (expires_at) where state = 'done';
create index exports_agent on exports (agent, id);

-- What was written when a candidate was handed over or agreed to first. The row of either goes with the decision; its event commits to
-- these words, so they stay.
create table remarks (
  agent text not null,
  candidate_id text not null,
  number bigint not null,
  user_id text not null,
  type text not null check (type in ('agreed', 'handed_over')),
  person_id text not null,
  at bigint not null,
  sealed bytea not null,
  primary key (agent, candidate_id, number),
  foreign key (agent, candidate_id) references candidates (agent, id)
);

-- Which servings one event tells of: the first of them, and the place of each. '' is what was written before this was kept.
alter table servings add column batch text not null default '';
alter table servings add column place bigint not null default 0;
-- When the event was written: at most a second after the answer.
alter table servings add column recorded_at bigint not null default 0;
update servings set recorded_at = at;
create index servings_batch on servings (agent, batch, place);
