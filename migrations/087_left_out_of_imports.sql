-- Mails of an import that are no correspondence, as the notes of the mail program say.
alter table mail_imports
  add column drafts_left_out integer not null default 0,
  add column deleted_left_out integer not null default 0,
  add column spam_left_out integer not null default 0,
  add column chats_left_out integer not null default 0;
