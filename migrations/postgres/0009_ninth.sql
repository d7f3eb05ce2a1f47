-- Ids of one person (G15): which guest id and which signed-in one are the same, by whose decision.

-- Nothing else is changed by a join, nor by a split: every row of either id stays that id's own, and whoever reads about one asks here
-- for the others. The reasons are sealed under the keys of both, so that they go with whoever of the two is erased.
create table joins (
  agent text not null,
  id text not null,
  guest_id text not null,
  main_id text not null,
  state text not null check (state in ('proposed', 'joined', 'split', 'declined')),
  -- Raised with every decision.
  version bigint not null,
  -- Who proposed it, or made it at once: a key or a person.
  actor text not null,
  actor_id text,
  created_at bigint not null,
  decided_by text,
  decided_at bigint,
  sealed bytea not null,
  primary key (agent, id),
  foreign key (agent, guest_id) references users (agent, id),
  foreign key (agent, main_id) references users (agent, id),
  check (guest_id <> main_id),
  check ((decided_by is null) = (decided_at is null))
);
create index joins_id on joins (id);
create index joins_guest on joins (agent, guest_id, id);
create index joins_main on joins (agent, main_id, id);
-- What stands: a guest id belongs to one person. These two hold nothing else, so that asking costs nothing where nobody is joined.
create unique index joins_standing on joins (agent, guest_id) where state = 'joined';
create index joins_standing_main on joins (agent, main_id) where state = 'joined';
create unique index joins_proposed on joins (agent, guest_id, main_id) where state = 'proposed';
create index joins_waiting on joins (id) where state = 'proposed';
