-- Tickets made to try the inbox with: no mail of theirs leaves, a made-up customer answers, and all of them are taken away together.
create table sample_tickets (
  workspace_id uuid not null references workspaces (id),
  ticket_id uuid not null,
  -- Which of the conversations it plays; null: a ticket that was made out of another one.
  script smallint,
  -- How often the customer has answered, and the newest answer of ours that got one.
  replies integer not null default 0,
  answered_id uuid,
  primary key (workspace_id, ticket_id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id)
);
