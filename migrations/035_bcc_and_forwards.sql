-- Whom an answer goes to without the others' knowledge, and the message that it forwards.
alter table messages
  add column bcc_addresses text[] not null default '{}',
  add column forward_of_id uuid;
