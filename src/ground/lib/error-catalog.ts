/**
 * Every error key of the API, with its HTTP status and its public sentence. The list is closed.
 * The OpenAPI text is generated from it, and `test/source/api-guide.test.ts` holds `docs/api.md` to it.
 */
export const errorCatalog = {
  'request.invalid': { status: 400, message: 'The request is not valid.' },
  'request.malformed_json': { status: 400, message: 'The body is not well-formed JSON in UTF-8.' },
  'workspace.header_missing': { status: 400, message: 'The x-workspace-id header is missing.' },
  'workspace.header_mismatch': {
    status: 400,
    message: 'The x-workspace-id header and the path name different workspaces.',
  },
  'auth.provider_not_configured': {
    status: 400,
    message: 'Sign-in with this provider is not configured on this server.',
  },
  'mailbox.provider_not_configured': {
    status: 400,
    message: 'Mailboxes of this provider cannot be connected: its application is not configured on this server.',
  },
  'mailbox.not_authorized': {
    status: 400,
    message: 'The provider did not accept the consent or the credentials.',
  },
  'auth.token_missing': {
    status: 401,
    message: 'An access token is required: send it as "Authorization: Bearer <token>".',
  },
  'auth.token_invalid': { status: 401, message: 'The token is not valid, or its session has ended.' },
  'auth.token_expired': { status: 401, message: 'The access token has expired: refresh the session.' },
  'auth.invalid_credentials': { status: 401, message: 'The credentials are not valid.' },
  'auth.identity_token_invalid': { status: 401, message: 'The identity token cannot be used to sign in here.' },
  'webhook.unverified': { status: 401, message: 'The request could not be verified as coming from the provider.' },
  'auth.second_factor_required': { status: 401, message: 'A second factor is required: send its code.' },
  'workspace.forbidden': { status: 403, message: 'You are not a member of this workspace.' },
  'workspace.second_factor_required': {
    status: 403,
    message: 'This workspace requires a second factor: set one up, or sign in with yours.',
  },
  'auth.email_not_verified': {
    status: 403,
    message: 'Verify your e-mail address first: follow the link that we mailed to you.',
  },
  'auth.cross_site': {
    status: 403,
    message: 'A request with the session cookie must come from a page of this service.',
  },
  'auth.role_insufficient': { status: 403, message: 'Your role in this workspace does not allow this.' },
  'auth.session_required': { status: 403, message: 'Only a signed-in person may do this: API keys may not.' },
  'key.not_yours': { status: 403, message: 'Only the maker of an API key changes it.' },
  'auth.registration_closed': { status: 403, message: 'Registration is by invitation only.' },
  'request.foreign_host': {
    status: 421,
    message: 'This service serves only its own machine by this name: set PUBLIC_URL to the address that people use.',
  },
  'metrics.forbidden': {
    status: 403,
    message: 'Only callers on this machine, or with METRICS_TOKEN as bearer token, may read the metrics.',
  },
  'invite.address_mismatch': { status: 403, message: 'The invitation was sent to another address.' },
  'route.not_found': { status: 404, message: 'There is nothing at this address.' },
  'ticket.not_found': { status: 404, message: 'There is no such ticket in this workspace.' },
  'message.not_found': { status: 404, message: 'There is no such message in this workspace.' },
  'mail.not_quarantined': { status: 404, message: 'There is no such mail in the quarantine.' },
  'image.not_found': { status: 404, message: 'There is no such image, or it cannot be fetched.' },
  'draft.not_found': { status: 404, message: 'You have no such draft: it may have been sent or discarded.' },
  'attachment.not_found': { status: 404, message: 'There is no such attachment in this workspace.' },
  'contact.not_found': { status: 404, message: 'There is no such contact in this workspace.' },
  'mailbox.not_found': { status: 404, message: 'There is no such mailbox in this workspace.' },
  'view.not_found': { status: 404, message: 'There is no such view in this workspace, or it is not yours.' },
  'saved_reply.not_found': {
    status: 404,
    message: 'There is no such saved reply in this workspace, or it is not yours.',
  },
  'rule.not_found': { status: 404, message: 'There is no such rule in this workspace.' },
  'blocked_sender.not_found': { status: 404, message: 'There is no such entry on the block list of this workspace.' },
  'bulk_change.not_found': { status: 404, message: 'There is no such bulk change in this workspace.' },
  'import.not_found': { status: 404, message: 'There is no such import in this workspace.' },
  'tag.not_found': { status: 404, message: 'Nothing in this workspace has this tag.' },
  'notification.not_found': { status: 404, message: 'You have no such notification in this workspace.' },
  'follower.not_found': { status: 404, message: 'Nobody with this id follows the ticket.' },
  'invite.not_found': { status: 404, message: 'There is no such pending invitation in this workspace.' },
  'session.not_found': { status: 404, message: 'You have no such session.' },
  'identity.not_found': { status: 404, message: 'No such identity is linked to your account.' },
  'member.not_found': { status: 404, message: 'There is no such member in this workspace.' },
  'team.not_found': { status: 404, message: 'There is no such team in this workspace.' },
  'survey.not_found': { status: 404, message: 'There is no such survey in this workspace.' },
  'auto_reply.not_found': { status: 404, message: 'There is no such automatic reply in this workspace.' },
  'calendar.not_found': { status: 404, message: 'There are no such business hours in this workspace.' },
  'key.not_found': { status: 404, message: 'There is no such API key in this workspace.' },
  'webhook.not_found': { status: 404, message: 'There is no such webhook in this workspace.' },
  'webhook.delivery_not_found': { status: 404, message: 'This webhook has no such delivery.' },
  'route.method_not_allowed': {
    status: 405,
    message: 'This address does not support that method: see the Allow header.',
  },
  'request.timeout': { status: 408, message: 'The request did not arrive in time.' },
  'ticket.merged': { status: 409, message: 'The ticket was merged into another one and cannot be changed.' },
  'ticket.merge_into_itself': { status: 409, message: 'A ticket cannot be merged into itself.' },
  'ticket.not_in_trash': { status: 409, message: 'The ticket is not in the trash.' },
  'ticket.spam': { status: 409, message: 'The ticket is spam: mark it as no spam first.' },
  'blocked_sender.own': { status: 409, message: 'This would block an address of your own, or a member.' },
  'blocked_sender.shared_domain': {
    status: 409,
    message: 'Anybody can have an address at this domain: block it only if you mean all of them.',
  },
  'blocked_sender.too_many': { status: 409, message: 'The block list is full: take some entries off.' },
  'blocked_sender.forged': {
    status: 409,
    message: 'The mail only claims to come from this address: blocking it would hide the mail of somebody else.',
  },
  'blocked_sender.unknown': { status: 409, message: 'The ticket has no requester whom you could block.' },
  'bulk_change.too_many': { status: 409, message: 'The query matches too many tickets for one change.' },
  'bulk_change.count_changed': {
    status: 409,
    message: 'The query matches another number of tickets than expectedCount says.',
  },
  'bulk_change.busy': { status: 409, message: 'Too many bulk changes are under way: wait until one has ended.' },
  'bulk_change.undo_over': { status: 409, message: 'A bulk change can be undone for a day, which is over.' },
  'import.running': { status: 409, message: 'Another import is under way: wait for its end, or stop it.' },
  'tag.exists': { status: 409, message: 'There is such a tag already: send merge to make the two one.' },
  'tag.too_many_colours': { status: 409, message: 'Too many tags have a colour: take some away.' },
  'ticket.not_merged': { status: 409, message: 'The ticket is not merged into another one.' },
  'ticket.split_takes_all': { status: 409, message: 'At least one message must stay on the ticket.' },
  'ticket.newer_message': {
    status: 409,
    message: 'The customer or a colleague has written since the message that lastSeenMessageId names.',
  },
  'sample.exists': { status: 409, message: 'The workspace already has sample tickets: delete them first.' },
  'ticket.sample': { status: 409, message: 'A sample ticket can only be merged with sample tickets.' },
  'draft.newer': { status: 409, message: 'Another tab has saved a newer version of this draft.' },
  'draft.too_many': { status: 409, message: 'You have too many drafts of new tickets: send or discard some.' },
  'message.not_scheduled': { status: 409, message: 'The message is not scheduled, so it has no time to change.' },
  'message.too_many_scheduled': {
    status: 409,
    message: 'The workspace has too many scheduled messages: send or cancel some.',
  },
  'message.already_sent': { status: 409, message: 'The message is being sent or was sent already.' },
  'contact.erased': { status: 409, message: 'This person was erased.' },
  'contact.own_address': { status: 409, message: 'This is an address of your own, or of a member.' },
  'message.not_sent_yet': {
    status: 409,
    message: 'The message is still on its way. Cancel it first, or wait until it is sent.',
  },
  'message.redacted': { status: 409, message: 'The content of this message was removed for good.' },
  'message.not_mailed': { status: 409, message: 'This message is not sent by e-mail.' },
  'contact.merge_into_itself': { status: 409, message: 'A contact cannot be merged into itself.' },
  'auth.second_factor_exists': { status: 409, message: 'A second factor is already set up: remove it first.' },
  'auth.second_factor_missing': { status: 409, message: 'There is no second factor to confirm or change.' },
  'auth.identity_not_linked': {
    status: 409,
    message: 'An account with this address exists: sign in to it the way you did before.',
  },
  'auth.identity_taken': { status: 409, message: 'This identity is linked to another account.' },
  'auth.email_taken': { status: 409, message: 'An account with this address already exists.' },
  'invite.already_member': { status: 409, message: 'This address already belongs to a member.' },
  'member.last_owner': { status: 409, message: 'A workspace must keep at least one owner.' },
  'workspace.too_many': { status: 409, message: 'You have reached the limit of workspaces per person.' },
  'invite.too_many': { status: 409, message: 'There are too many invitations: revoke some, or wait a day.' },
  'key.too_many': { status: 409, message: 'There are too many API keys: revoke some.' },
  'webhook.too_many': { status: 409, message: 'There are too many webhooks in this workspace: delete some.' },
  'push.off': { status: 409, message: 'The operator of this service has switched off push messages.' },
  'webhook.disabled': { status: 409, message: 'The webhook is disabled: enable it first.' },
  in_use: {
    status: 409,
    message: 'Rules, automatic replies or API keys name this: choose something else there first.',
  },
  'team.name_taken': { status: 409, message: 'Another team has this name.' },
  'team.in_use': {
    status: 409,
    message: 'Mailboxes or tickets belong to the team: choose another team for them, or archive it.',
  },
  'team.too_many': { status: 409, message: 'There are too many teams: delete some.' },
  'team.too_many_restricted': {
    status: 409,
    message: 'Too many teams show their tickets to their members alone: open some to the workspace.',
  },
  'team.too_many_members': { status: 409, message: 'The team has too many members: remove some.' },
  'ticket.assignee_outside_team': {
    status: 409,
    message: 'Only the team sees this ticket, and the assignee is outside: let them follow the ticket first.',
  },
  'calendar.name_taken': { status: 409, message: 'Other business hours have this name.' },
  'survey.exists': {
    status: 409,
    message: 'There is a survey of this kind for this mailbox already: change that one.',
  },
  'survey.too_many': { status: 409, message: 'There are too many surveys: delete some.' },
  'auto_reply.too_many': { status: 409, message: 'There are too many automatic replies: delete some.' },
  'calendar.too_many': { status: 409, message: 'There are too many business hours: delete some.' },
  'view.too_many': {
    status: 409,
    message: 'There are too many views of this kind (your own, or shared): delete some.',
  },
  'report.too_wide': { status: 409, message: 'This report would read too much: ask for a shorter time.' },
  'report.too_fine': {
    status: 409,
    message: 'This report would have too many intervals: ask for longer ones, or for a shorter time.',
  },
  'report.members_not_shown': { status: 403, message: 'The reports of this workspace compare no members.' },
  'saved_reply.too_many': {
    status: 409,
    message: 'There are too many saved replies of this kind (your own, or shared): delete some.',
  },
  'saved_reply.shortcut_taken': { status: 409, message: 'Another saved reply has this shortcut.' },
  'saved_reply.variable_missing': {
    status: 409,
    message: 'The text has variables without a value: replace them, or give them a default.',
  },
  'saved_reply.actions_not_allowed': {
    status: 409,
    message:
      'The saved reply assigns the ticket to a person who has left, or moves it to a mailbox or team that is gone: ' +
      'change the reply.',
  },
  'rule.too_many': { status: 409, message: 'There are too many rules in this workspace: delete some.' },
  'rule.name_taken': { status: 409, message: 'Another rule has this name.' },
  'rule.refers_to_missing': {
    status: 409,
    message: 'The rule names something that this workspace does not have: params.path says where.',
  },
  'rule.unconfirmed': {
    status: 409,
    message: 'The rule mails, and no condition narrows whom: narrow it, or send confirm.',
  },
  'rule.order_changed': { status: 409, message: 'The ids are not those of all rules: read the rules again.' },
  'mailbox.already_connected': {
    status: 409,
    message: 'This mailbox is already connected, here or in another workspace.',
  },
  'mailbox.not_active': {
    status: 409,
    message: 'The mailbox is not active: resume it, or connect it again.',
  },
  'mailbox.none_sends': {
    status: 409,
    message: 'No mailbox of this workspace can send now, and there is no mail server. Look after a mailbox first.',
  },
  'mailbox.too_many': { status: 409, message: 'There are too many mailboxes in this workspace: disconnect some.' },
  'idempotency.key_reused': { status: 409, message: 'This Idempotency-Key was used with another request body.' },
  'idempotency.in_progress': { status: 409, message: 'The first request with this Idempotency-Key is still running.' },
  'idempotency.answer_deleted': {
    status: 409,
    message: 'This request was done before. Its answer was deleted together with what it names.',
  },
  'idempotency.secret_not_repeatable': {
    status: 409,
    message:
      'The first response held a secret that is shown only once: revoke what the request created, and create it again.',
  },
  'mailbox.consent_expired': {
    status: 410,
    message: 'This consent was already used, has expired or is unknown: begin again.',
  },
  'auth.link_expired': { status: 410, message: 'This link was already used, has expired or is unknown.' },
  'attachment.url_expired': { status: 410, message: 'This link to the file has expired: read the message again.' },
  'ticket.version_mismatch': { status: 412, message: 'The ticket has changed since the version that If-Match names.' },
  'survey.version_mismatch': {
    status: 412,
    message: 'The survey has changed since the version that If-Match names.',
  },
  'auto_reply.version_mismatch': {
    status: 412,
    message: 'The automatic reply has changed since the version that If-Match names.',
  },
  'calendar.version_mismatch': {
    status: 412,
    message: 'The business hours have changed since the version that If-Match names.',
  },
  'saved_reply.version_mismatch': {
    status: 412,
    message: 'The saved reply has changed since the version that If-Match names.',
  },
  'rule.version_mismatch': {
    status: 412,
    message: 'The rule has changed since the version that If-Match names.',
  },
  'request.too_large': { status: 413, message: 'The request is too large.' },
  'workspace.storage_full': {
    status: 413,
    message:
      'This workspace has reached its storage limit: ' +
      'nothing new can be written or uploaded until the operator raises it.',
  },
  'request.unsupported_media_type': {
    status: 415,
    message: 'This address does not accept a body of this type: most accept application/json.',
  },
  'request.range_not_satisfiable': {
    status: 416,
    message: 'The range lies outside the file: see Content-Range for its size.',
  },
  'mailbox.sign_in_paused': {
    status: 429,
    message:
      'The server refused the password three times. ' +
      'So that it does not lock the account, wait as long as Retry-After says.',
  },
  rate_limited: { status: 429, message: 'Too many requests: wait as long as Retry-After says.' },
  'workspace.recipient_limit': {
    status: 429,
    message:
      'The limit of new recipients is reached, and nothing was sent: ' +
      'wait as long as Retry-After says, or ask the operator for a higher limit.',
  },
  internal: {
    status: 500,
    message: 'Something went wrong on our side. The x-correlation-id header identifies the log line.',
  },
  unavailable: { status: 503, message: 'The service is not available right now: try again shortly.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorKey = keyof typeof errorCatalog;
