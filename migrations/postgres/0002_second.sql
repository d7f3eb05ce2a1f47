-- Everything that can be remembered: profiles, own kinds, feedback, opt-outs, cost, patterns.

alter table kinds add column guideline text;

create table profile_schemas (
  agent text not null references agents (agent),
  id text not null,
  schema text not null,
  -- Raised by one with every change of the schema (C8).
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (agent, id)
);

-- Whether what was served helped, as an agent reported it (C9). The newest report of a memory in a serving counts.
create table feedback (
  agent text not null,
  memory_id text not null,
  serving_id text not null,
  user_id text not null,
  helped boolean not null,
  at bigint not null,
  primary key (agent, memory_id, serving_id),
  foreign key (agent, memory_id) references memories (agent, id),
  foreign key (agent, serving_id) references servings (agent, id)
);

-- No agent and no user id: an opt-out holds for every agent and outlives erasure (G2). `lookup` is a keyed hash of the scope alone.
create table opt_outs (
  lookup bytea primary key,
  at bigint not null
);

-- What extraction cost an agent on a day of UTC (G14); `day` counts days since 1970.
create table usage (
  agent text not null references agents (agent),
  day bigint not null,
  extractions bigint not null,
  tokens_in bigint not null,
  tokens_out bigint not null,
  primary key (agent, day)
);

-- When patterns over the sessions of a user were last looked for (C1).
alter table users add column patterns_at bigint;
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
