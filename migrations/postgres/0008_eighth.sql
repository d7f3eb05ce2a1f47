-- Requests of people about what is kept of them (G5): a copy, erasure, or both, by a deadline.

-- Who asks lies sealed under a key of the request's own, which stands among the keys of users under the name `system`, and is destroyed
-- when the request is closed: after that nothing here names anybody. What is written at the end is sealed with the installation's key.
create table requests (
  id text primary key,
  -- Where they are looked for: one agent; null: all.
  agent text,
  person_id text not null references people (id),
  sort text not null check (sort in ('copy', 'erase', 'both')),
  received_at bigint not null,
  due_at bigint not null,
  -- How far the names of users were looked through: how many, where it goes on, and whether that was all.
  looked bigint not null,
  looked_agent text,
  looked_user text,
  looked_all boolean not null,
  -- The export that was handed out.
  export_id text,
  copied_at bigint,
  outcome text check (outcome in ('done', 'partly', 'nothing_found', 'refused', 'withdrawn')),
  created_at bigint not null,
  closed_at bigint,
  closed_by text,
  -- Raised with every step.
  version bigint not null,
  sealed bytea not null,
  closing bytea,
  check ((outcome is null) = (closed_at is null)),
  check ((outcome is null) = (closed_by is null)),
  check ((export_id is null) = (copied_at is null))
);
create index requests_agent on requests (agent, id);
create index requests_open on requests (due_at) where closed_at is null;

-- What was found: users, and what others' memories and proposals say of the person. Ids alone, which stay when the words are gone.
create table request_finds (
  request_id text not null references requests (id),
  agent text not null,
  subject text not null,
  user_id text not null,
  found_by text not null check (found_by in ('name', 'value', 'words')),
  at bigint not null,
  primary key (request_id, agent, subject)
);
create index request_finds_agent on request_finds (agent);
