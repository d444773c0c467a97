-- A row without a fault is a candidate: the provider named the mail, and it has not been seen there (yet).
alter table mailbox_stuck_mails alter column fault drop not null;
-- Which watch a subscription is: it tells in which folder the mail was that a notification names.
alter table mailbox_routes add column watch_key text;
update mailbox_routes r
set watch_key = w.watch_key
from mailbox_watches w
where w.workspace_id = r.workspace_id and w.mailbox_id = r.mailbox_id and w.subscription_id = r.route_key;
