-- What a webhook missed last is told in the list of all of them.
create index webhook_deliveries_missed on webhook_deliveries (webhook_id, attempted_at) where state <> 'delivered';
