-- The newest message that told nobody, because its ticket was spam: they are told if the ticket turns out to be none.
alter table tickets add column missed_message_id uuid;
