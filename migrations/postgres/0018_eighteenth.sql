-- The second factor of people who sign in: a secret of which an app makes codes that change every thirty seconds, and recovery codes for
-- who has lost it.

create table second_factors (
  person_id text primary key references people (id),
  -- Null: it was shown and waits for its first code, until `expires_at`; nothing is asked for at the sign-in yet.
  enabled_at bigint,
  expires_at bigint,
  -- Which thirty seconds since 1970 the last code that was taken is of: none is taken twice.
  last_step bigint not null,
  -- The secret, under the key of the staff.
  sealed bytea not null,
  check ((enabled_at is null) = (expires_at is not null))
);

-- The codes that were not used yet, as keyed hashes.
create table recovery_codes (
  person_id text not null references people (id),
  hash bytea not null,
  primary key (person_id, hash)
);
