/**
 * Every reason for which a value of a request is refused, with its sentence about the field. The list is closed. The
 * web inbox has its German sentences.
 */
export const issueCatalog = {
  required: 'is required',
  wrong_type: 'must be {type}',
  wrong_form: 'does not have a form that fits',
  not_a_choice: 'must be equal to one of the allowed values',
  wrong_format: 'must match format "{format}"',
  not_an_address: 'is not an e-mail address',
  empty: 'must not be empty',
  too_short: 'must not have fewer than {limit} characters',
  too_long: 'must not have more than {limit} characters',
  too_few_items: 'must not have fewer than {limit} items',
  too_many_items: 'must not have more than {limit} items',
  repeated_items: 'must not have duplicate items',
  too_small: 'must be {limit} or more',
  too_large: 'must be {limit} or less',
  not_valid: 'is not valid',
  bad_text: 'holds U+0000 or a lone surrogate',
  bad_name: 'has a field whose name holds U+0000 or a lone surrogate',
  repeated: 'must occur once',
  not_printable: 'must be 1 to {limit} printable ASCII characters',
  not_the_value: 'must be "{value}"',
  bad_form: 'is not a well-formed form',
  bad_version: 'must be HTTP/1.0 or HTTP/1.1',
  bad_cursor: 'is not a cursor of this list',
  bad_token: 'is not a valid token',
  not_a_file: 'must be a file',
  not_one_file: 'must be one file',
  too_many_files: 'must be {limit} files at most',
  other_file: 'is the only name that a file may have',
  file_in_use: 'names a file that is in use, or that belongs neither to this ticket nor to you',
  not_a_member: 'is not a member of this workspace',
  not_a_mailbox: 'is not a mailbox of this workspace',
  not_a_message: 'names no message of this workspace',
  not_to_forward: 'names no message of this ticket that customers may see',
  read_from_provider: 'are read from the provider of this mailbox',
  not_an_assignee: 'must be a user id, me or none',
  no_text: 'is needed, or bodyHtml with text in it',
  no_recipient: 'is needed: the ticket has no recipient other than our own addresses',
  too_many_recipients: 'makes more than {limit} recipients',
  not_mailed: 'needs sendEmail: only mailed answers take it',
  not_in_future: 'must be in the future, within {years} years',
  too_many_tags: 'must not have more than {limit} different tags',
  same_tag: 'is the name that the tag has',
  too_easy: 'is too easy to guess. {advice}',
  not_a_language: 'is not a language tag',
  not_a_time_zone: 'is not a time zone',
  not_of_contact: 'is not an address of this contact',
  not_a_sender: 'is no mail address and no domain',
  ending_of_domains: 'is an ending of domains, not a domain',
  no_ids: 'is required, unless query is given',
  not_with_query: 'is not possible with query',
  only_with_query: 'is only possible with query',
  matches_nothing: 'matches no ticket',
  no_change: 'names nothing to change',
  not_with_ticket: 'does not go with ticketId',
  empty_reply: 'is needed, or bodyHtml, or actions',
  unknown_variables: 'names no variable: {names}',
  too_many_variables: 'must not have more than {limit} variables',
  needs_status: 'needs a status',
  no_folder: 'is no folder of the server',
  folder_is_read: 'is a folder that is read',
  cannot_move: 'is not possible: this server cannot move mail safely',
  other_account: 'is not the address of the account of this token',
  not_shareable: 'is not possible for mailboxes of this provider',
  not_a_url: 'is no URL',
  url_with_user: 'must hold no user name or password',
  url_not_https: 'must begin with https://',
  url_unresolved: 'has a name that does not resolve',
  url_unreachable: 'leads to a network that webhooks may not reach',
} as const satisfies Record<string, string>;

export type IssueKey = keyof typeof issueCatalog;
export type IssueParams = Record<string, string | number>;
/** A fault of a request. `path` begins with the part of the request: `body.tags.0`. */
export type Issue = { path: string; key: IssueKey; params: IssueParams; message: string };

export function issueAt(path: string, key: IssueKey, params: IssueParams = {}): Issue {
  const message = issueCatalog[key].replace(/\{(\w+)\}/g, (_whole, name: string) => String(params[name] ?? ''));
  return { path, key, params, message: message.trim() };
}
