-- By which rule the fingerprint was made. The second counts the subject, and the decoders of that release; a mail of the first is reckoned anew when
-- another with its Message-ID comes.
alter table raw_mails add column fingerprint_version smallint not null default 1;
