-- Whether the address was verified by the mailed link alone, so that whoever registered it, perhaps a stranger, still
-- signs in. A password set by a mailed link ends that. Of accounts verified earlier nothing is known: they count as their
-- owner's.
alter table users add column verified_without_password boolean not null default false;
