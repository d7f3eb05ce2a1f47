-- An export about an instant (G6): of one person, for an auditor, and of the whole time.
alter table exports add column as_of integer
  check (as_of is null or (sort = 'audit' and from_at is null and to_at is null));
