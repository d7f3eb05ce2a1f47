-- Webhooks: at which addresses runtimes are told what happened, and what became of each telling. No row holds a word of anybody: what is
-- sent is worked out of the audit chains when it is sent.

create table webhooks (
  id text primary key,
  -- One agent, whose chain it reads; '*': every chain, that of the installation among them.
  agent text not null,
  state text not null check (state in ('enabled', 'disabled', 'failing', 'gone', 'unreadable')),
  -- The types of the events that are sent, with spaces between them.
  events text not null,
  person_id text references people (id),
  created_at bigint not null,
  -- When its secret was last made anew.
  rotated_at bigint,
  -- When something last arrived.
  delivered_at bigint,
  -- Whoever sends has it until then. A claim has an epoch, as that of a job has.
  lease_until bigint not null,
  epoch bigint not null,
  -- The address, and the secrets that sign.
  sealed bytea not null
);
create index webhooks_agent on webhooks (agent, id);
create index webhooks_turn on webhooks (lease_until, id) where state = 'enabled';

-- How far each has read each chain. What lies before is written down as a delivery, or was not asked for.
create table webhook_cursors (
  webhook_id text not null references webhooks (id),
  chain text not null,
  seq bigint not null,
  primary key (webhook_id, chain)
);

create table webhook_deliveries (
  id text primary key,
  webhook_id text not null references webhooks (id),
  -- The event.
  chain text not null,
  seq bigint not null,
  state text not null check (state in ('waiting', 'delivered', 'failed')),
  -- How often it was tried since it was last asked for.
  attempt bigint not null,
  next_at bigint,
  -- What the last try came to: the peer's status, or why there was none, and how long it took.
  status bigint,
  error text,
  duration_ms bigint,
  attempted_at bigint,
  created_at bigint not null,
  check ((state = 'waiting') = (next_at is not null))
);
create unique index webhook_deliveries_event on webhook_deliveries (webhook_id, chain, seq);
create index webhook_deliveries_listed on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_at, chain, seq) where next_at is not null;
create index webhook_deliveries_over on webhook_deliveries (attempted_at) where next_at is null;
