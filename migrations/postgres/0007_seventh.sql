-- What goes, and what may not: erased people, legal holds, retention.

-- Who was erased (F9). The row of the user is gone with all that hung on it; this says that there was one. `mark` is a keyed hash of
-- their `lookup`: it tells whether somebody of that name was erased, and nothing to who lacks the installation's key.
create table erasures (
  agent text not null,
  user_id text not null,
  mark bytea not null,
  -- When they were first heard of.
  known_since bigint not null,
  at bigint not null,
  -- Null: Keepsake itself, after a backup was restored.
  person_id text,
  reason text not null,
  -- The data subject's request that asked for it.
  request_id text,
  -- How much went, as JSON: integers by name.
  counts text not null,
  primary key (agent, user_id)
);
create index erasures_user on erasures (user_id);
create index erasures_mark on erasures (mark, at);

-- What a legal hold keeps from erasure and retention: one user, everybody of an agent, or whoever has a name in every agent. Of a name
-- only a keyed hash can be compared; it is sealed beside the reason.
create table holds (
  id text primary key,
  agent text,
  user_id text,
  lookup bytea,
  person_id text not null references people (id),
  -- Null: until it is released.
  until bigint,
  created_at bigint not null,
  released_at bigint,
  released_by text,
  sealed bytea not null,
  check ((agent is null) = (lookup is not null)),
  check (user_id is null or agent is not null)
);
create index holds_agent on holds (agent, user_id) where released_at is null and agent is not null;
create index holds_lookup on holds (lookup) where released_at is null and lookup is not null;

-- When retention took the words out of a conversation. The row stays: what was extracted from it says so.
alter table conversations add column removed_at bigint;

-- A serving that goes takes the reports about it along.
create index feedback_serving on feedback (agent, serving_id);
-- The jobs of a user that are about no conversation.
create index jobs_of_user on jobs (agent, user_id) where conversation_id is null;
