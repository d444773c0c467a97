import { shownOf } from '../../src/ground/catalog/tables/tables.ts';

/**
 * The columns that the service answers of ticket `t` and its requester `c`. All limits that read tickets send the same
 * columns, or the ratio would measure the size of the answers.
 */
export const ticketColumns = `${shownOf('tickets').map((name) => `t.${name}`)}, c.email, c.name`;

/** The columns that the service answers of message `m`, but for what only some messages have. */
export const messageColumns = `
  m.id as message_id, m.direction, m.author_type, m.author_user_id, m.author_name, m.author_email, m.body, m.body_html,
  m.reply_text, m.to_addresses, m.cc_addresses, m.bcc_addresses, m.reply_to_addresses, m.envelope_from,
  m.authentication, m.forward_of_id, m.delivery_status, m.delivery_error, m.delivery_sent_at, m.delivery_attempts,
  m.delivery_next_attempt_at, m.delivery_handled_at, m.automatic_kind, m.truncated, m.redacted_at, m.redacted_by,
  m.sent_at, m.created_at as written_at`;
