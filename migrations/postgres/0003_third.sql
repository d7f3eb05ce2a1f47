-- The review desk: people and their limits, hand-over, four eyes, decisions by the hundred, saved views, guidelines, digests.

-- A role may be limited to languages of content (G7): their tags with a comma between them; '': all.
alter table person_roles add column languages text not null default '';

-- What a person set for themselves, as JSON: keys of the desk, the digest. No text of anybody.
alter table people add column settings text not null default '{}';

-- When they last signed in.
alter table people add column signed_in_at bigint;

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

-- Whoever lost a claim to an administrator sees who has it; what is claimed, and what waits for somebody who speaks its language, is listed.
alter table claims add column taken_from text;
create index claims_until on claims (until);
create index handovers_native on handovers (candidate_id) where native;

-- What stands of what was decided, in the form in which it is counted (F11): a row a decision, gone when it is taken back. All that is
-- alike in everything that is counted shares a cell, so that a span is counted by one number a row. '' is what does not apply.
create table judgement_cells (
  id bigint generated by default as identity primary key,
  kind text not null,
  language text not null,
  -- The tenth of confidence, 0 to 9.
  bin bigint not null,
  provenance text not null,
  judge text not null check (judge in ('person', 'policy', 'system')),
  approved boolean not null,
  reason text not null,
  edited text not null check (edited in ('', 'yes', 'no')),
  unique (kind, language, bin, provenance, judge, approved, reason, edited)
);

create table judgements (
  agent text not null,
  at bigint not null,
  decision_id text not null,
  candidate_id text not null,
  person_id text,
  cell bigint not null references judgement_cells (id),
  waited_ms bigint not null,
  took_ms bigint,
  primary key (agent, at, decision_id)
);
create index judgements_candidate on judgements (agent, candidate_id);
create index judgements_newest on judgements (at, decision_id, cell);

-- What was decided before this migration; whether it was edited then lies sealed.
create table judgements_before as
select d.agent, d.at, d.id as decision_id, d.candidate_id, case when d.actor = 'person' then d.person_id end as person_id,
  (d.at - c.created_at) / 1000 as waited_ms,
  c.kind, c.language, coalesce(x.provenance, '') as provenance, coalesce(d.reason, '') as reason, d.verdict = 'approve' as approved,
  case when d.actor in ('person', 'system') then d.actor else 'policy' end as judge,
  case
    when c.confidence >= 0.9 then 9 when c.confidence >= 0.8 then 8 when c.confidence >= 0.7 then 7 when c.confidence >= 0.6 then 6
    when c.confidence >= 0.5 then 5 when c.confidence >= 0.4 then 4 when c.confidence >= 0.3 then 3 when c.confidence >= 0.2 then 2
    when c.confidence >= 0.1 then 1 else 0
  end as bin
from decisions d
join candidates c on c.agent = d.agent and c.id = d.candidate_id and c.version = d.version
left join extractions x on x.agent = c.agent and x.id = c.extraction_id
where d.verdict in ('approve', 'reject');
insert into judgement_cells (kind, language, bin, provenance, judge, approved, reason, edited)
select distinct kind, language, bin, provenance, judge, approved, reason, ''
from judgements_before;
insert into judgements (agent, at, decision_id, candidate_id, person_id, cell, waited_ms)
select b.agent, b.at, b.decision_id, b.candidate_id, b.person_id, l.id, b.waited_ms
from judgements_before b
join judgement_cells l on l.kind = b.kind and l.language = b.language and l.bin = b.bin and l.provenance = b.provenance
  and l.judge = b.judge and l.approved = b.approved and l.reason = b.reason;
drop table judgements_before;

-- What extraction did in a span of time, and the answers that could not be read whole.
create index extractions_at on extractions (agent, at);
create index extractions_bad on extractions (at, id) where state <> 'parsed';

-- How many jobs wait in an agent, and for how long; what was given up and not tried again, oldest first.
create index jobs_queued on jobs (agent, next_at) where state = 'queued';
create index jobs_given_up on jobs (id, agent, error) where state in ('failed', 'truncated') and retried_by is null;

-- When a schedule last had its turn.
alter table schedules add column ran_at bigint;

-- Why a bulk could not go on; how many sessions had been told what an undo took back.
alter table bulks add column error text;
alter table bulk_items add column told bigint not null default 0;
create index bulk_items_failed on bulk_items (bulk_id, number) where state = 'failed';
create index bulk_items_told on bulk_items (bulk_id, number) where told > 0;

-- The first of the two people who agreed, on the decision of the second (G9).
alter table decisions add column agreed_by text;
