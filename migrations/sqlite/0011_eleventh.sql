-- What fails by the clock waits longer each time, and what a user's next job waits for is found without those of everybody else.

-- How many turns in a row failed.
alter table schedules add column failures integer not null default 0;

create index jobs_user_queued on jobs (agent, user_id, next_at) where state = 'queued';
