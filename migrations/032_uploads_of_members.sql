-- An upload without a ticket belongs to the member who made it, until a message takes it. Dropping "not null" reads no rows.
alter table attachments alter column ticket_id drop not null;
alter table attachments add column uploaded_by uuid;
