-- The review desk: people and their limits, hand-over, four eyes, decisions by the hundred, saved views, guidelines, digests.

-- A role may be limited to languages of content (G7): their tags with a comma between them; '': all.
alter table person_roles add column languages text not null default '';

-- What a person set for themselves, as JSON: keys of the desk, the digest. No text of anybody.
alter table people add column settings text not null default '{}';

-- One-time links with which a person chooses a password (G7). Only the hash of the token is kept.
create table person_links (
  hash bytea primary key,
  person_id text not null references people (id),
  purpose text not null check (purpose in ('invite', 'reset')),
  expires_at bigint not null,
  created_at bigint not null
);
create index person_links_person on person_links (person_id);

-- A filter of the queue under a name of the person's own; the name and the address are sealed.
create table saved_views (
  id text primary key,
  person_id text not null references people (id),
  created_at bigint not null,
  sealed bytea not null
);
create index saved_views_person on saved_views (person_id, id);

create index claims_person on claims (person_id);

-- To whom a candidate was handed over (G10): to one person, or to whoever speaks its language. The note is sealed.
create table handovers (
  agent text not null,
  candidate_id text not null,
  user_id text not null,
  person_id text,
  native boolean not null,
  by_person_id text not null,
  at bigint not null,
  sealed bytea not null,
  primary key (agent, candidate_id),
  foreign key (agent, candidate_id) references candidates (agent, id)
);
create index handovers_person on handovers (person_id);

-- The first of two people who must agree (G9), to this version with this edit (sealed).
create table agreements (
  agent text not null,
  candidate_id text not null,
  user_id text not null,
  version bigint not null,
  person_id text not null,
  at bigint not null,
  sealed bytea not null,
  primary key (agent, candidate_id),
  foreign key (agent, candidate_id) references candidates (agent, id)
);
create index agreements_person on agreements (person_id);

-- How long a reviewer had the candidate in view before deciding, in milliseconds; null where it is not known (F11).
alter table decisions add column took_ms bigint;
create index decisions_at on decisions (agent, at);

-- Many decisions as one job (F7). The filter and the note are sealed; what waits longer than `frozen_at` is in it.
create table bulks (
  id text primary key,
  person_id text not null references people (id),
  verdict text not null check (verdict in ('approve', 'reject', 'reopen')),
  reason text,
  insist boolean not null,
  state text not null check (state in ('collecting', 'running', 'done', 'failed', 'stopped')),
  undo_of text references bulks (id),
  frozen_at bigint not null,
  total bigint not null,
  done bigint not null,
  failed bigint not null,
  epoch bigint not null,
  lease_until bigint,
  created_at bigint not null,
  finished_at bigint,
  sealed bytea not null
);
create index bulks_person on bulks (person_id, id);
create index bulks_open on bulks (lease_until) where state in ('collecting', 'running');
create unique index bulks_undo on bulks (undo_of) where undo_of is not null;

create table bulk_items (
  bulk_id text not null references bulks (id),
  number bigint not null,
  agent text not null,
  candidate_id text not null,
  -- The version that was seen when the item was collected, and the one that the decision made.
  version bigint not null,
  made_version bigint,
  state text not null check (state in ('waits', 'done', 'failed')),
  code text,
  primary key (bulk_id, number)
);
create unique index bulk_items_candidate on bulk_items (bulk_id, candidate_id);
create index bulk_items_waiting on bulk_items (bulk_id, number) where state = 'waits';

-- What a kind should and should not hold, for the people who decide, by language; every version is kept (G10).
create table guidelines (
  agent text not null references agents (agent),
  kind text not null,
  language text not null check (language in ('en', 'ja', 'zh')),
  version bigint not null,
  content text not null,
  person_id text,
  at bigint not null,
  primary key (agent, kind, language, version)
);

-- The digest of waiting work that a person asked for (G8): where to and when, sealed.
create table digests (
  person_id text primary key references people (id),
  next_at bigint,
  sent_at bigint,
  failed text,
  failures bigint not null,
  sealed bytea not null
);
create index digests_due on digests (next_at) where next_at is not null;

-- An agent with made-up people, to look around with; it can be removed whole.
alter table agents add column demo boolean not null default false;

-- Languages and assignees are asked for beside what waits.
create index candidates_language on candidates (status, language, expires_at, id);
-- What expired before anybody decided, newest first.
create index candidates_expired on candidates (agent, reason, id) where reason = 'expired';
-- How long decisions took and what became of what an extractor proposed.
create index candidates_made on candidates (agent, created_at);
