-- Whether a bounce says that the address does not work (hard) or that this mail did not get there (soft), and its code (RFC 3463).
alter table messages add column delivery_bounce_kind text check (delivery_bounce_kind in ('hard', 'soft', 'unknown'));
alter table messages add column delivery_enhanced_status_code text;
-- What of a mail was too much and is not kept in its message: text, attachments, recipients.
alter table messages add column truncated text[] not null default '{}';
