-- A second sort of export (G5): a person's own copy, which is always of the whole time.

alter table exports drop constraint exports_sort_check;
alter table exports add constraint exports_sort_check check (sort in ('audit', 'copy'));
alter table exports add check (sort <> 'copy' or (from_at is null and to_at is null));
