-- The first migration. Its twin for SQLite has the same tables, columns and indexes; only types and triggers differ.
--
-- `sealed` holds a person's words as ciphertext (XChaCha20-Poly1305, a key per user, bound to table, column and row). What has to be
-- compared is a keyed hash: `lookup`, `external_lookup`, `slot`, `fingerprint`, `token`. SQL never reads text.
-- Times are microseconds since 1970 in UTC: one form in both databases, which sorts and can be added to.

create table instance (
  id bigint primary key check (id = 1),
  alive_at bigint not null
);

create table instance_keys (
  name text primary key,
  wrapped bytea not null
);

create table agents (
  agent text primary key check (agent <> 'system' and agent <> '*'),
  settings text not null,
  version bigint not null,
  created_at bigint not null
);

create table kinds (
  agent text not null references agents (agent),
  name text not null,
  kind_set text not null,
  label text not null,
  description text not null,
  metadata_schema text,
  ttl_days bigint,
  position bigint not null,
  cap bigint,
  always boolean not null,
  evidence text not null,
  enabled boolean not null,
  primary key (agent, name)
);

create table users (
  agent text not null references agents (agent),
  id text not null,
  lookup bytea not null,
  sealed bytea not null,
  created_at bigint not null,
  primary key (agent, id)
);
create unique index users_lookup on users (agent, lookup);
create index users_id on users (id);

-- No foreign key: the table stands for a key store, which may live elsewhere, and is left out of backups.
create table user_keys (
  agent text not null,
  user_id text not null,
  wrapped bytea not null,
  primary key (agent, user_id)
);

create table conversations (
  agent text not null,
  id text not null,
  user_id text not null,
  external_lookup bytea,
  time_zone text,
  messages bigint not null,
  extracted_upto bigint not null,
  ended_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  sealed bytea not null,
  primary key (agent, id),
  foreign key (agent, user_id) references users (agent, id),
  check (extracted_upto <= messages)
);
create unique index conversations_external on conversations (agent, user_id, external_lookup) where external_lookup is not null;
create index conversations_user on conversations (agent, user_id, id);
create index conversations_id on conversations (id);

create table messages (
  agent text not null,
  conversation_id text not null,
  position bigint not null,
  id text not null,
  user_id text not null,
  external_lookup bytea,
  role text not null,
  source text not null,
  at bigint not null,
  received_at bigint not null,
  -- The position of the first message that came with the same request: together they have one commitment.
  post bigint not null,
  sealed bytea not null,
  primary key (agent, conversation_id, position),
  foreign key (agent, conversation_id) references conversations (agent, id)
);
create unique index messages_id on messages (agent, id);
create unique index messages_external on messages (agent, conversation_id, external_lookup) where external_lookup is not null;

create table jobs (
  agent text not null references agents (agent),
  id text not null,
  type text not null,
  user_id text,
  conversation_id text,
  starts bigint,
  upto bigint not null,
  state text not null,
  attempt bigint not null,
  epoch bigint not null,
  next_at bigint,
  lease_until bigint,
  error text,
  outcome text not null,
  retry_of text,
  retried_by text,
  created_at bigint not null,
  finished_at bigint,
  primary key (agent, id)
);
create index jobs_id on jobs (id);
create index jobs_conversation on jobs (agent, conversation_id, id);
create index jobs_due on jobs (next_at, id) where state = 'queued';
create index jobs_leased on jobs (lease_until) where state = 'running';
create index jobs_failed on jobs (agent, id) where state = 'failed';
-- A post joins the job that nobody has claimed yet. A retry has a stretch of its own and is never joined.
create unique index jobs_unclaimed on jobs (agent, conversation_id, type) where state = 'queued' and epoch = 0 and starts is null;
-- One job runs a user at a time.
create unique index jobs_running on jobs (agent, user_id) where state = 'running';

create table schedules (
  name text primary key,
  next_at bigint not null
);

create table extractions (
  agent text not null,
  id text not null,
  user_id text not null,
  conversation_id text not null,
  job_id text not null,
  starts bigint not null,
  upto bigint not null,
  state text not null,
  provenance text not null,
  error text,
  tokens_in bigint not null,
  tokens_out bigint not null,
  candidates bigint not null,
  dropped text not null,
  at bigint not null,
  sealed bytea not null,
  primary key (agent, id),
  foreign key (agent, conversation_id) references conversations (agent, id)
);
create index extractions_conversation on extractions (agent, conversation_id, id);
create index extractions_id on extractions (id);

create table candidates (
  agent text not null,
  id text not null,
  user_id text not null,
  action text not null,
  kind text not null,
  slot bytea,
  fingerprint bytea not null,
  confidence double precision not null check (confidence between 0 and 1),
  importance double precision not null check (importance between 0 and 1),
  flags text not null,
  language text not null,
  extraction_id text,
  created_at bigint not null,
  sealed bytea not null,
  -- The only columns that change.
  status text not null check (status in ('pending', 'approved', 'rejected')),
  reason text,
  version bigint not null,
  expires_at bigint not null,
  primary key (agent, id),
  foreign key (agent, user_id) references users (agent, id),
  check ((status = 'rejected') = (reason is not null))
);
create index candidates_id on candidates (id);
create index candidates_waiting on candidates (status, expires_at, id);
create index candidates_waiting_agent on candidates (agent, status, expires_at, id);
create index candidates_user on candidates (agent, user_id, status, id);
create index candidates_status on candidates (agent, status, id);
create index candidates_newest on candidates (status, id);
create unique index candidates_same on candidates (agent, user_id, fingerprint) where status = 'pending' and action = 'create';

create table candidate_targets (
  agent text not null,
  candidate_id text not null,
  position bigint not null,
  memory_id text not null,
  revision bigint not null,
  part text not null check (part in ('keeps', 'absorbed')),
  primary key (agent, candidate_id, position),
  foreign key (agent, candidate_id) references candidates (agent, id)
);
create index candidate_targets_memory on candidate_targets (agent, memory_id);

-- No foreign key to the conversation: retention may remove it, the words that support a memory stay.
create table evidence (
  agent text not null,
  candidate_id text not null,
  position bigint not null,
  user_id text not null,
  conversation_id text not null,
  message_id text,
  starts bigint not null,
  ends bigint not null,
  sealed bytea not null,
  primary key (agent, candidate_id, position),
  foreign key (agent, candidate_id) references candidates (agent, id)
);
create index evidence_conversation on evidence (conversation_id, candidate_id);

-- A decision makes the candidate's version of the same number.
create table decisions (
  agent text not null,
  id text not null,
  candidate_id text not null,
  user_id text not null,
  version bigint not null,
  verdict text not null check (verdict in ('approve', 'reject', 'reopen')),
  reason text,
  actor text not null,
  person_id text,
  memory_id text,
  superseded_by text,
  at bigint not null,
  sealed bytea not null,
  primary key (agent, id),
  foreign key (agent, candidate_id) references candidates (agent, id)
);
create unique index decisions_candidate on decisions (agent, candidate_id, version);
create index decisions_superseded_by on decisions (agent, superseded_by) where superseded_by is not null;

create table sightings (
  agent text not null,
  subject text not null,
  number bigint not null,
  user_id text not null,
  extraction_id text,
  conversation_id text,
  message_id text,
  suppressed boolean not null,
  at bigint not null,
  sealed bytea not null,
  primary key (agent, subject, number),
  foreign key (agent, user_id) references users (agent, id)
);

create table claims (
  agent text not null,
  candidate_id text not null,
  person_id text not null,
  until bigint not null,
  primary key (agent, candidate_id),
  foreign key (agent, candidate_id) references candidates (agent, id)
);

create table memories (
  agent text not null,
  id text not null,
  user_id text not null,
  kind text not null,
  slot bytea,
  fingerprint bytea not null,
  confidence double precision not null check (confidence between 0 and 1),
  importance double precision not null check (importance between 0 and 1),
  language text not null,
  status text not null check (status in ('approved', 'retired')),
  reason text,
  revision bigint not null,
  conversation_id text,
  said_at bigint not null,
  expires_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  sealed bytea not null,
  primary key (agent, id),
  foreign key (agent, user_id) references users (agent, id),
  check ((status = 'retired') = (reason is not null))
);
create index memories_id on memories (id);
create index memories_user on memories (agent, user_id, status, id);
create index memories_status on memories (agent, status, id);
create index memories_newest on memories (status, id);
create index memories_expiring on memories (status, expires_at);
create unique index memories_slot on memories (agent, user_id, slot) where status = 'approved' and slot is not null;

create table revisions (
  agent text not null,
  memory_id text not null,
  number bigint not null,
  id text not null,
  user_id text not null,
  action text not null,
  kind text not null,
  -- The keyed hash of the statement alone, and when it was first served: what comes back in a conversation is no news (F6).
  line bytea not null,
  first_served_at bigint,
  confidence double precision not null,
  importance double precision not null,
  conversation_id text,
  said_at bigint not null,
  candidate_id text,
  decision_id text,
  actor text not null,
  person_id text,
  expires_at bigint,
  at bigint not null,
  sealed bytea not null,
  primary key (agent, memory_id, number),
  foreign key (agent, memory_id) references memories (agent, id)
);
create unique index revisions_id on revisions (agent, id);
create index revisions_served on revisions (agent, user_id) where first_served_at is not null;

create table search_tokens (
  agent text not null,
  token bytea not null,
  subject text not null,
  user_id text not null,
  primary key (token, agent, subject)
);
create index search_tokens_subject on search_tokens (agent, subject);

create table servings (
  agent text not null,
  id text not null,
  user_id text not null,
  tokens bigint not null,
  cut bigint not null,
  at bigint not null,
  sealed bytea not null,
  primary key (agent, id),
  foreign key (agent, user_id) references users (agent, id)
);
create index servings_user on servings (agent, user_id, id);
create index servings_id on servings (id);

create table serving_items (
  agent text not null,
  serving_id text not null,
  position bigint not null,
  memory_id text not null,
  revision bigint not null,
  primary key (agent, serving_id, position),
  foreign key (agent, serving_id) references servings (agent, id)
);
create index serving_items_memory on serving_items (agent, memory_id, serving_id);

create table events (
  agent text not null,
  seq bigint not null,
  prev_hash bytea not null,
  hash bytea not null,
  type text not null,
  user_id text,
  subject text not null,
  at bigint not null,
  body text not null,
  primary key (agent, seq)
);
create unique index events_link on events (agent, prev_hash);
create index events_user on events (agent, user_id, seq);
create index events_subject on events (agent, subject, seq);
create index events_at on events (at, agent, seq);

create function events_are_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'events are append-only';
end $$;
create trigger events_no_change before update or delete or truncate on events
  for each statement execute function events_are_append_only();

create table heads (
  agent text primary key,
  seq bigint not null,
  hash bytea not null
);

create function heads_are_never_deleted() returns trigger language plpgsql as $$
begin
  raise exception 'heads are never deleted';
end $$;
create trigger heads_no_delete before delete or truncate on heads
  for each statement execute function heads_are_never_deleted();

create table people (
  id text primary key,
  lookup bytea not null,
  password_hash text,
  language text,
  deactivated_at bigint,
  created_at bigint not null,
  sealed bytea not null
);
create unique index people_lookup on people (lookup);

create table person_roles (
  person_id text not null references people (id),
  agent text not null,
  role text not null,
  primary key (person_id, agent, role)
);

create table keys (
  id text primary key,
  hash bytea not null,
  hint text not null,
  agent text not null,
  scopes text not null,
  person_id text references people (id),
  label text not null,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  created_at bigint not null
);
create unique index keys_hash on keys (hash);
create index keys_agent on keys (agent, id);

create table sessions (
  id bytea primary key,
  person_id text references people (id),
  created_at bigint not null,
  last_seen_at bigint not null,
  expires_at bigint not null,
  sealed bytea not null
);
create index sessions_person on sessions (person_id);
create index sessions_expiring on sessions (expires_at);

create table flashes (
  id bytea primary key,
  expires_at bigint not null,
  sealed bytea not null
);

create table setup_tokens (
  hash bytea primary key,
  expires_at bigint not null
);

create table sign_in_failures (
  subject bytea primary key,
  failures bigint not null,
  next_at bigint not null,
  at bigint not null
);

create table idempotency (
  owner text not null,
  key_hash bytea not null,
  request bytea not null,
  status bigint,
  sealed bytea,
  expires_at bigint not null,
  primary key (owner, key_hash)
);
create index idempotency_expiring on idempotency (expires_at);
