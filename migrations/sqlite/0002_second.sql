-- Everything that can be remembered: profiles, own kinds, feedback, opt-outs, cost, patterns.

alter table kinds add column guideline text;

create table profile_schemas (
  agent text not null references agents (agent),
  id text not null,
  schema text not null,
  -- Raised by one with every change of the schema (C8).
  version integer not null,
  created_at integer not null,
  updated_at integer not null,
  primary key (agent, id)
) strict;

-- Whether what was served helped, as an agent reported it (C9). The newest report of a memory in a serving counts.
create table feedback (
  agent text not null,
  memory_id text not null,
  serving_id text not null,
  user_id text not null,
  helped integer not null,
  at integer not null,
  primary key (agent, memory_id, serving_id),
  foreign key (agent, memory_id) references memories (agent, id),
  foreign key (agent, serving_id) references servings (agent, id)
) strict;

-- No agent and no user id: an opt-out holds for every agent and outlives erasure (G2). `lookup` is a keyed hash of the scope alone.
create table opt_outs (
  lookup blob primary key,
  at integer not null
) strict;

-- What extraction cost an agent on a day of UTC (G14); `day` counts days since 1970.
create table usage (
  agent text not null references agents (agent),
  day integer not null,
  extractions integer not null,
  tokens_in integer not null,
  tokens_out integer not null,
  primary key (agent, day)
) strict;

-- When patterns over the sessions of a user were last looked for (C1).
alter table users add column patterns_at integer;
create index conversations_ended on conversations (ended_at) where ended_at is not null;
create index jobs_of_agent on jobs (agent, type) where state = 'queued' and conversation_id is null;
-- Whose figures and troubles moved since patterns were last looked for.
create index memories_course on memories (updated_at) where kind in ('metric', 'pain_point');
-- Summaries of a conversation, metrics of a name: by kind within a user.
create index memories_kind on memories (agent, user_id, kind, status);
-- All memories of a kind, whomever they are about: after its schema changed (C8).
create index memories_of_kind on memories (agent, kind, id) where status = 'approved';
-- What waits for the day's budget: taken up again when the limit is raised, and counted.
create index jobs_put_off on jobs (agent, error) where state = 'queued' and error is not null;
