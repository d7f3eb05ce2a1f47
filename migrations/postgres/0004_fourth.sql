-- Two administrators at one person.

-- Raised with every change of the name, the roles or whether they may come in: a form says which version it was drawn with.
alter table people add column version bigint not null default 1;

-- What they were made for is counted in `judgements`; nothing else asks by these times, and each cost a write.
drop index decisions_at;
drop index candidates_made;
