-- Live mail counts from its arrival (created_at). A mail's own Date is kept beside it, as wrong as it may be; null for messages without a Date, for those
-- of the API, and for mail that was taken in before.
alter table messages add column sent_at timestamptz(3);
-- When the provider received the mail: where mail that is fetched late counts from. Null where it was fetched before.
alter table mailbox_mails add column received_at timestamptz(3);
