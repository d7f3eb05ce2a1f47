-- A hold that came with an import names whoever placed it where it comes from: nobody of the people here.
alter table holds drop constraint holds_person_id_fkey;
