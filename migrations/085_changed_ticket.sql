-- What an answer changed in its ticket: how that was before and after. Cancelling the answer brings it back.
alter table messages add column changed_ticket jsonb;
