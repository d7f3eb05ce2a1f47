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
  created_at integer not null,
  -- When its secret was last made anew.
  rotated_at integer,
  -- When something last arrived.
  delivered_at integer,
  -- Whoever sends has it until then. A claim has an epoch, as that of a job has.
  lease_until integer not null,
  epoch integer not null,
  -- The address, and the secrets that sign.
  sealed blob not null
) strict;
create index webhooks_agent on webhooks (agent, id);
create index webhooks_turn on webhooks (lease_until, id) where state = 'enabled';

-- How far each has read each chain. What lies before is written down as a delivery, or was not asked for.
create table webhook_cursors (
  webhook_id text not null references webhooks (id),
  chain text not null,
  seq integer not null,
  primary key (webhook_id, chain)
) strict;

create table webhook_deliveries (
  id text primary key,
  webhook_id text not null references webhooks (id),
  -- The event.
  chain text not null,
  seq integer not null,
  state text not null check (state in ('waiting', 'delivered', 'failed')),
  -- How often it was tried since it was last asked for.
  attempt integer not null,
  next_at integer,
  -- What the last try came to: the peer's status, or why there was none, and how long it took.
  status integer,
  error text,
  duration_ms integer,
  attempted_at integer,
  created_at integer not null,
  check ((state = 'waiting') = (next_at is not null))
) strict;
create unique index webhook_deliveries_event on webhook_deliveries (webhook_id, chain, seq);
create index webhook_deliveries_listed on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_at, chain, seq) where next_at is not null;
create index webhook_deliveries_over on webhook_deliveries (attempted_at) where next_at is null;
