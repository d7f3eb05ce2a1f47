-- Memories that come from elsewhere (G13): a file row by row, from the look at it until its last row has been proposed.

create table imports (
  id text primary key,
  agent text not null,
  -- Null: the command line.
  person_id text references people (id),
  format text not null check (format in ('csv', 'json', 'json_lines')),
  state text not null check (state in ('ready', 'running', 'stopped', 'done', 'withdrawing', 'withdrawn', 'expired')),
  -- A code: why it was stopped, where no person did that.
  error text,
  -- The key of what was uploaded, in user_keys: a key of its own, made anew when somebody in it is erased.
  key_id text not null,
  epoch bigint not null,
  lease_until bigint,
  created_at bigint not null,
  finished_at bigint,
  -- The name of the file, its columns and what each becomes, under that key.
  sealed bytea not null,
  check ((state in ('running', 'withdrawing')) = (lease_until is not null))
);
create index imports_open on imports (lease_until) where state in ('running', 'withdrawing');
create index imports_agent on imports (agent, id);
create index imports_waiting on imports ((coalesce(finished_at, created_at))) where state in ('ready', 'stopped');

create table import_rows (
  import_id text not null references imports (id),
  -- From 1, without the head.
  number bigint not null,
  agent text not null,
  state text not null check (state in ('waits', 'proposed', 'duplicate', 'known', 'failed')),
  -- Which part of it does not fit, and why.
  field text,
  code text,
  -- Keyed hashes: of whom it is about, and of what it says.
  lookup bytea,
  source bytea,
  -- The row as it was uploaded, under the import's key, until it is proposed or can be no more.
  sealed bytea,
  -- What became of it, and since when it was known where it comes from; `origin` under the user's key.
  user_id text,
  candidate_id text,
  said_at bigint,
  origin bytea,
  primary key (import_id, number),
  check ((state = 'proposed') = (candidate_id is not null))
);
create index import_rows_state on import_rows (import_id, state, number);
create index import_rows_source on import_rows (agent, source) where state = 'proposed';
create index import_rows_candidate on import_rows (agent, candidate_id) where candidate_id is not null;
create index import_rows_lookup on import_rows (agent, lookup);
