-- The member who passed a mail on. Its author is the person who wrote the mail first.
alter table messages add column forwarded_by_id uuid;
-- When somebody chose the requester. Until a customer writes later, a reply goes to them.
alter table tickets add column requester_chosen_at timestamptz(3);
