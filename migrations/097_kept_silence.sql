-- Accounts whose users have chosen nothing get mail about mentions and assignments from now on. Existing accounts got
-- none, and their page says "Never": that stays so until they choose.
insert into notification_preferences (user_id, digest, types, unsubscribe_key, updated_at)
select id, 'off', '{}', uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), now()
from users
on conflict do nothing;
