-- What is signed of the audit chains, and what was found when they were walked.

-- A signed note over the heads of all chains. `size` and `root` are those of the chain `system`, whose last event tells of this
-- checkpoint. The note is also written outside the database, so that what is missing here shows.
create table checkpoints (
  size integer primary key,
  at integer not null,
  root blob not null,
  note text not null
) strict;

create trigger checkpoints_no_update before update on checkpoints
begin
  select raise(abort, 'checkpoints are append-only');
end;
create trigger checkpoints_no_delete before delete on checkpoints
begin
  select raise(abort, 'checkpoints are append-only');
end;

-- How far the Merkle tree of a chain has been counted up, so that the next checkpoint reads only what came since: the number and the
-- hash of the last event in it, and the roots of its whole subtrees from left to right, 32 bytes each. No bytes where the chain was
-- damaged and has no tree. A shortcut only: whoever verifies reads every event.
create table tree_frontiers (
  chain text primary key,
  size integer not null,
  hash blob not null,
  frontier blob not null
) strict;

-- What walking all chains found; `faults` are the first of `found`, as JSON: chain, number, kind. No text of anybody.
create table verifications (
  id integer primary key,
  started_at integer not null,
  finished_at integer not null,
  events integer not null,
  checkpoints integer not null,
  ok integer not null,
  found integer not null,
  faults text not null
) strict;
