-- What mails of an earlier help desk repeat of its conversations, by which answers to them join the imported ticket.
-- One token may name several tickets: where a help desk had none, the token is a hash of the subject.
create table thread_tokens (
  workspace_id uuid not null,
  ticket_id uuid not null,
  source text not null,
  token text not null,
  primary key (workspace_id, token, source, ticket_id),
  foreign key (workspace_id, ticket_id) references tickets (workspace_id, id)
);
create index thread_tokens_ticket on thread_tokens (workspace_id, ticket_id);
