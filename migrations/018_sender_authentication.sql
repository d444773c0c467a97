-- What is known of the sender of a mail, and whether it was forged.

-- { "verdict", "spf", "dkim", "dmarc" }; null for messages that are no mail that came in.
alter table messages add column authentication jsonb;
-- MAIL FROM without brackets, empty for <>; null where it is not known.
alter table messages add column envelope_from text;

-- The client that handed a mail over by SMTP, and the name that it gave in HELO: SPF is checked when the mail is understood.
alter table raw_mails add column envelope_peer text;
alter table raw_mails add column envelope_helo text;

-- False for people who only wrote into a ticket: nobody who takes part has named them, and no agent has written to them.
alter table ticket_participants add column is_known boolean not null default true;
