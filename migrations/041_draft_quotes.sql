-- What an answer quotes, and the message that it passes on, are of its draft already. Null: nothing was chosen.
alter table drafts
  add column quote text check (quote in ('none', 'last', 'thread')),
  add column forward_of_id uuid;
