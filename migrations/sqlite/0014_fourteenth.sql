-- Dry runs (G14): another extractor, or other words for it, over the last conversations of an agent, beside what came of them. Nothing of it
-- is a candidate; it goes with its people, with the conversations, and after thirty days.

create table dry_runs (
  id text primary key,
  agent text not null,
  -- Null: the command line.
  person_id text references people (id),
  state text not null check (state in ('running', 'done', 'failed', 'stopped')),
  -- A code: why it could not go on; while it runs, what it waits for.
  error text,
  -- What is tried, as JSON: the extractor, and what the staff would write into the agent's settings and kinds.
  plan text not null,
  epoch integer not null,
  lease_until integer,
  created_at integer not null,
  finished_at integer,
  check ((state = 'running') = (lease_until is not null))
) strict;
create index dry_runs_open on dry_runs (lease_until) where state = 'running';
create index dry_runs_agent on dry_runs (agent, id);
create index dry_runs_over on dry_runs (finished_at) where finished_at is not null;

-- A conversation of a dry run, and what would have come of it.
create table dry_run_items (
  run_id text not null references dry_runs (id),
  -- From 1, the newest conversation first.
  number integer not null,
  agent text not null,
  user_id text not null,
  conversation_id text not null,
  -- Messages that are read: those that were when it was asked for.
  upto integer not null,
  state text not null check (state in ('waits', 'done', 'failed', 'skipped')),
  -- A code: why it was not read, or which of its answers could not be.
  error text,
  -- How often the window under way was tried.
  attempt integer not null,
  -- Messages that were read.
  read_upto integer not null,
  -- Answers, those that could not be read, what they cost and how long they took.
  windows integer not null,
  windows_failed integer not null,
  tokens_in integer not null,
  tokens_out integer not null,
  took_ms integer not null,
  -- What would have come of it, under the user's key.
  sealed blob,
  primary key (run_id, number)
) strict;
create index dry_run_items_waiting on dry_run_items (run_id, number) where state = 'waits';
create index dry_run_items_user on dry_run_items (agent, user_id);
create index dry_run_items_conversation on dry_run_items (agent, conversation_id);

-- Of what was spent on a day, the part of dry runs.
alter table usage add column dry_run_tokens_in integer not null default 0;
alter table usage add column dry_run_tokens_out integer not null default 0;
