-- The first migration. Its twin for PostgreSQL has the same tables, columns and indexes; only types and triggers differ.
--
-- `sealed` holds a person's words as ciphertext (XChaCha20-Poly1305, a key per user, bound to table, column and row). What has to be
-- compared is a keyed hash: `lookup`, `external_lookup`, `slot`, `fingerprint`, `token`. SQL never reads text.
-- Times are microseconds since 1970 in UTC: one form in both databases, which sorts and can be added to.

create table instance (
  id integer primary key check (id = 1),
  alive_at integer not null
) strict;

create table instance_keys (
  name text primary key,
  wrapped blob not null
) strict;

create table agents (
  agent text primary key check (agent <> 'system' and agent <> '*'),
  settings text not null,
  version integer not null,
  created_at integer not null
) strict;

create table kinds (
  agent text not null references agents (agent),
  name text not null,
  kind_set text not null,
  label text not null,
  description text not null,
  metadata_schema text,
  ttl_days integer,
  position integer not null,
  cap integer,
  always integer not null,
  evidence text not null,
  enabled integer not null,
  primary key (agent, name)
) strict;

create table users (
  agent text not null references agents (agent),
  id text not null,
  lookup blob not null,
  sealed blob not null,
  created_at integer not null,
  primary key (agent, id)
) strict;
create unique index users_lookup on users (agent, lookup);
create index users_id on users (id);

-- No foreign key: the table stands for a key store, which may live elsewhere, and is left out of backups.
create table user_keys (
  agent text not null,
  user_id text not null,
  wrapped blob not null,
  primary key (agent, user_id)
) strict;

create table conversations (
  agent text not null,
  id text not null,
  user_id text not null,
  external_lookup blob,
  time_zone text,
  messages integer not null,
  extracted_upto integer not null,
  ended_at integer,
  created_at integer not null,
  updated_at integer not null,
  sealed blob not null,
  primary key (agent, id),
  foreign key (agent, user_id) references users (agent, id),
  check (extracted_upto <= messages)
) strict;
create unique index conversations_external on conversations (agent, user_id, external_lookup) where external_lookup is not null;
create index conversations_user on conversations (agent, user_id, id);
create index conversations_id on conversations (id);

create table messages (
  agent text not null,
  conversation_id text not null,
  position integer not null,
  id text not null,
  user_id text not null,
  external_lookup blob,
  role text not null,
  source text not null,
  at integer not null,
  received_at integer not null,
  -- The position of the first message that came with the same request: together they have one commitment.
  post integer not null,
  sealed blob not null,
  primary key (agent, conversation_id, position),
  foreign key (agent, conversation_id) references conversations (agent, id)
) strict;
create unique index messages_id on messages (agent, id);
create unique index messages_external on messages (agent, conversation_id, external_lookup) where external_lookup is not null;

create table jobs (
  agent text not null references agents (agent),
  id text not null,
  type text not null,
  user_id text,
  conversation_id text,
  starts integer,
  upto integer not null,
  state text not null,
  attempt integer not null,
  epoch integer not null,
  next_at integer,
  lease_until integer,
  error text,
  outcome text not null,
  retry_of text,
  retried_by text,
  created_at integer not null,
  finished_at integer,
  primary key (agent, id)
) strict;
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
  next_at integer not null
) strict;

create table extractions (
  agent text not null,
  id text not null,
  user_id text not null,
  conversation_id text not null,
  job_id text not null,
  starts integer not null,
  upto integer not null,
  state text not null,
  provenance text not null,
  error text,
  tokens_in integer not null,
  tokens_out integer not null,
  candidates integer not null,
  dropped text not null,
  at integer not null,
  sealed blob not null,
  primary key (agent, id),
  foreign key (agent, conversation_id) references conversations (agent, id)
) strict;
create index extractions_conversation on extractions (agent, conversation_id, id);
create index extractions_id on extractions (id);

create table candidates (
  agent text not null,
  id text not null,
  user_id text not null,
  action text not null,
  kind text not null,
  slot blob,
  fingerprint blob not null,
  confidence real not null check (confidence between 0 and 1),
  importance real not null check (importance between 0 and 1),
  flags text not null,
  language text not null,
  extraction_id text,
  created_at integer not null,
  sealed blob not null,
  -- The only columns that change.
  status text not null check (status in ('pending', 'approved', 'rejected')),
  reason text,
  version integer not null,
  expires_at integer not null,
  primary key (agent, id),
  foreign key (agent, user_id) references users (agent, id),
  check ((status = 'rejected') = (reason is not null))
) strict;
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
  position integer not null,
  memory_id text not null,
  revision integer not null,
  part text not null check (part in ('keeps', 'absorbed')),
  primary key (agent, candidate_id, position),
  foreign key (agent, candidate_id) references candidates (agent, id)
) strict;
create index candidate_targets_memory on candidate_targets (agent, memory_id);

-- No foreign key to the conversation: retention may remove it, the words that support a memory stay.
create table evidence (
  agent text not null,
  candidate_id text not null,
  position integer not null,
  user_id text not null,
  conversation_id text not null,
  message_id text,
  starts integer not null,
  ends integer not null,
  sealed blob not null,
  primary key (agent, candidate_id, position),
  foreign key (agent, candidate_id) references candidates (agent, id)
) strict;
create index evidence_conversation on evidence (conversation_id, candidate_id);

-- A decision makes the candidate's version of the same number.
create table decisions (
  agent text not null,
  id text not null,
  candidate_id text not null,
  user_id text not null,
  version integer not null,
  verdict text not null check (verdict in ('approve', 'reject', 'reopen')),
  reason text,
  actor text not null,
  person_id text,
  memory_id text,
  superseded_by text,
  at integer not null,
  sealed blob not null,
  primary key (agent, id),
  foreign key (agent, candidate_id) references candidates (agent, id)
) strict;
create unique index decisions_candidate on decisions (agent, candidate_id, version);
create index decisions_superseded_by on decisions (agent, superseded_by) where superseded_by is not null;

create table sightings (
  agent text not null,
  subject text not null,
  number integer not null,
  user_id text not null,
  extraction_id text,
  conversation_id text,
  message_id text,
  suppressed integer not null,
  at integer not null,
  sealed blob not null,
  primary key (agent, subject, number),
  foreign key (agent, user_id) references users (agent, id)
) strict;

create table claims (
  agent text not null,
  candidate_id text not null,
  person_id text not null,
  until integer not null,
  primary key (agent, candidate_id),
  foreign key (agent, candidate_id) references candidates (agent, id)
) strict;

create table memories (
  agent text not null,
  id text not null,
  user_id text not null,
  kind text not null,
  slot blob,
  fingerprint blob not null,
  confidence real not null check (confidence between 0 and 1),
  importance real not null check (importance between 0 and 1),
  language text not null,
  status text not null check (status in ('approved', 'retired')),
  reason text,
  revision integer not null,
  conversation_id text,
  said_at integer not null,
  expires_at integer,
  created_at integer not null,
  updated_at integer not null,
  sealed blob not null,
  primary key (agent, id),
  foreign key (agent, user_id) references users (agent, id),
  check ((status = 'retired') = (reason is not null))
) strict;
create index memories_id on memories (id);
create index memories_user on memories (agent, user_id, status, id);
create index memories_status on memories (agent, status, id);
create index memories_newest on memories (status, id);
create index memories_expiring on memories (status, expires_at);
create unique index memories_slot on memories (agent, user_id, slot) where status = 'approved' and slot is not null;

create table revisions (
  agent text not null,
  memory_id text not null,
  number integer not null,
  id text not null,
  user_id text not null,
  action text not null,
  kind text not null,
  -- The keyed hash of the statement alone, and when it was first served: what comes back in a conversation is no news (F6).
  line blob not null,
  first_served_at integer,
  confidence real not null,
  importance real not null,
  conversation_id text,
  said_at integer not null,
  candidate_id text,
  decision_id text,
  actor text not null,
  person_id text,
  expires_at integer,
  at integer not null,
  sealed blob not null,
  primary key (agent, memory_id, number),
  foreign key (agent, memory_id) references memories (agent, id)
) strict;
create unique index revisions_id on revisions (agent, id);
create index revisions_served on revisions (agent, user_id) where first_served_at is not null;

create table search_tokens (
  agent text not null,
  token blob not null,
  subject text not null,
  user_id text not null,
  primary key (token, agent, subject)
) strict, without rowid;
create index search_tokens_subject on search_tokens (agent, subject);

create table servings (
  agent text not null,
  id text not null,
  user_id text not null,
  tokens integer not null,
  cut integer not null,
  at integer not null,
  sealed blob not null,
  primary key (agent, id),
  foreign key (agent, user_id) references users (agent, id)
) strict;
create index servings_user on servings (agent, user_id, id);
create index servings_id on servings (id);

create table serving_items (
  agent text not null,
  serving_id text not null,
  position integer not null,
  memory_id text not null,
  revision integer not null,
  primary key (agent, serving_id, position),
  foreign key (agent, serving_id) references servings (agent, id)
) strict;
create index serving_items_memory on serving_items (agent, memory_id, serving_id);

create table events (
  agent text not null,
  seq integer not null,
  prev_hash blob not null,
  hash blob not null,
  type text not null,
  user_id text,
  subject text not null,
  at integer not null,
  body text not null,
  primary key (agent, seq)
) strict;
create unique index events_link on events (agent, prev_hash);
create index events_user on events (agent, user_id, seq);
create index events_subject on events (agent, subject, seq);
create index events_at on events (at, agent, seq);

create trigger events_no_update before update on events
begin
  select raise(abort, 'events are append-only');
end;
create trigger events_no_delete before delete on events
begin
  select raise(abort, 'events are append-only');
end;

create table heads (
  agent text primary key,
  seq integer not null,
  hash blob not null
) strict;

create trigger heads_no_delete before delete on heads
begin
  select raise(abort, 'heads are never deleted');
end;

create table people (
  id text primary key,
  lookup blob not null,
  password_hash text,
  language text,
  deactivated_at integer,
  created_at integer not null,
  sealed blob not null
) strict;
create unique index people_lookup on people (lookup);

create table person_roles (
  person_id text not null references people (id),
  agent text not null,
  role text not null,
  primary key (person_id, agent, role)
) strict;

create table keys (
  id text primary key,
  hash blob not null,
  hint text not null,
  agent text not null,
  scopes text not null,
  person_id text references people (id),
  label text not null,
  expires_at integer,
  revoked_at integer,
  last_used_at integer,
  created_at integer not null
) strict;
create unique index keys_hash on keys (hash);
create index keys_agent on keys (agent, id);

create table sessions (
  id blob primary key,
  person_id text references people (id),
  created_at integer not null,
  last_seen_at integer not null,
  expires_at integer not null,
  sealed blob not null
) strict;
create index sessions_person on sessions (person_id);
create index sessions_expiring on sessions (expires_at);

create table flashes (
  id blob primary key,
  expires_at integer not null,
  sealed blob not null
) strict;

create table setup_tokens (
  hash blob primary key,
  expires_at integer not null
) strict;

create table sign_in_failures (
  subject blob primary key,
  failures integer not null,
  next_at integer not null,
  at integer not null
) strict;

create table idempotency (
  owner text not null,
  key_hash blob not null,
  request blob not null,
  status integer,
  sealed blob,
  expires_at integer not null,
  primary key (owner, key_hash)
) strict;
create index idempotency_expiring on idempotency (expires_at);
