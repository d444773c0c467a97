/** Every error key that an answer may carry, its HTTP status and its public sentence. The list is closed: `docs/api.md` and the OpenAPI text are made from it. */
export const errorCatalog = {
  'request.invalid': { status: 400, message: 'The request is not valid.' },
  'request.malformed_json': { status: 400, message: 'The body is not well-formed JSON in UTF-8.' },
  'workspace.header_missing': { status: 400, message: 'The header x-workspace-id is missing.' },
  'workspace.header_mismatch': {
    status: 400,
    message: 'The header x-workspace-id names another workspace than the path.',
  },
  'auth.provider_not_configured': { status: 400, message: 'Signing in with this provider is not set up here.' },
  'mailbox.provider_not_configured': {
    status: 400,
    message: 'Mailboxes of this provider cannot be connected: its application is not set up here.',
  },
  'mailbox.not_authorized': {
    status: 400,
    message: 'The provider did not accept the consent or the credentials.',
  },
  'auth.token_missing': {
    status: 401,
    message: 'An access token is needed: send it as "Authorization: Bearer <token>".',
  },
  'auth.token_invalid': { status: 401, message: 'The token is not valid, or its session has ended.' },
  'auth.token_expired': { status: 401, message: 'The access token has expired: refresh the session.' },
  'auth.invalid_credentials': { status: 401, message: 'The credentials are not valid.' },
  'auth.identity_token_invalid': { status: 401, message: 'The identity token is not one that signs in here.' },
  'webhook.unverified': { status: 401, message: 'The caller did not show that it is the provider.' },
  'auth.second_factor_required': { status: 401, message: 'A second factor is needed: give its code.' },
  'workspace.forbidden': { status: 403, message: 'You are not a member of this workspace.' },
  'workspace.second_factor_required': {
    status: 403,
    message: 'This workspace asks for a second factor: set one up, or sign in with it.',
  },
  'auth.email_not_verified': {
    status: 403,
    message: 'Verify your e-mail address first: follow the link that was mailed to you.',
  },
  'auth.cross_site': {
    status: 403,
    message: 'A request with the session cookie must come from a page of this service.',
  },
  'auth.role_insufficient': { status: 403, message: 'Your role in this workspace does not allow this.' },
  'auth.session_required': { status: 403, message: 'This is for people who are signed in: an API key may not do it.' },
  'auth.registration_closed': { status: 403, message: 'Registration is by invitation only.' },
  'metrics.forbidden': {
    status: 403,
    message: 'Only callers on this machine, or with METRICS_TOKEN as bearer token, may read the metrics.',
  },
  'invite.address_mismatch': { status: 403, message: 'The invitation was sent to another address.' },
  'route.not_found': { status: 404, message: 'There is nothing at this address.' },
  'ticket.not_found': { status: 404, message: 'There is no such ticket in this workspace.' },
  'message.not_found': { status: 404, message: 'There is no such message in this workspace.' },
  'image.not_found': { status: 404, message: 'There is no such picture, or it cannot be fetched.' },
  'draft.not_found': { status: 404, message: 'You have no such draft: it may have been sent or discarded.' },
  'attachment.not_found': { status: 404, message: 'There is no such attachment in this workspace.' },
  'contact.not_found': { status: 404, message: 'There is no such contact in this workspace.' },
  'mailbox.not_found': { status: 404, message: 'There is no such mailbox in this workspace.' },
  'view.not_found': { status: 404, message: 'There is no such view in this workspace, or it is not yours.' },
  'notification.not_found': { status: 404, message: 'You have no such notification in this workspace.' },
  'follower.not_found': { status: 404, message: 'Nobody with this id follows the ticket.' },
  'invite.not_found': { status: 404, message: 'There is no such pending invitation in this workspace.' },
  'session.not_found': { status: 404, message: 'You have no such session.' },
  'identity.not_found': { status: 404, message: 'No such identity signs in to your account.' },
  'member.not_found': { status: 404, message: 'There is no such member in this workspace.' },
  'key.not_found': { status: 404, message: 'There is no such API key in this workspace.' },
  'webhook.not_found': { status: 404, message: 'There is no such webhook in this workspace.' },
  'webhook.delivery_not_found': { status: 404, message: 'There is no such delivery of this webhook.' },
  'route.method_not_allowed': { status: 405, message: 'This address does not take that method: see the header Allow.' },
  'request.timeout': { status: 408, message: 'The request did not arrive in time.' },
  'ticket.merged': { status: 409, message: 'The ticket was merged into another one and cannot be changed.' },
  'ticket.merge_into_itself': { status: 409, message: 'A ticket cannot be merged into itself.' },
  'ticket.not_merged': { status: 409, message: 'The ticket is not merged into another one.' },
  'ticket.split_takes_all': { status: 409, message: 'At least one message must stay on the ticket.' },
  'ticket.newer_message': {
    status: 409,
    message: 'The customer has written since the message that lastSeenMessageId names.',
  },
  'sample.exists': { status: 409, message: 'The workspace already has sample tickets: delete them first.' },
  'ticket.sample': { status: 409, message: 'A sample ticket can only be merged with sample tickets.' },
  'draft.newer': { status: 409, message: 'Another tab has saved a newer version of this draft.' },
  'draft.too_many': { status: 409, message: 'You have too many drafts of new tickets: send or discard some.' },
  'message.already_sent': { status: 409, message: 'The message is on its way or has left already.' },
  'message.not_mailed': { status: 409, message: 'The message is not one that is sent by e-mail.' },
  'contact.merge_into_itself': { status: 409, message: 'A contact cannot be merged into itself.' },
  'auth.second_factor_exists': { status: 409, message: 'There is a second factor already: remove it first.' },
  'auth.second_factor_missing': { status: 409, message: 'There is no second factor to confirm or to change.' },
  'auth.identity_not_linked': {
    status: 409,
    message: 'There is an account with this address: sign in to it the way you have so far.',
  },
  'auth.identity_taken': { status: 409, message: 'This identity signs in to another account.' },
  'auth.email_taken': { status: 409, message: 'There is an account with this address already.' },
  'invite.already_member': { status: 409, message: 'This address belongs to a member already.' },
  'member.last_owner': { status: 409, message: 'A workspace keeps at least one owner.' },
  'workspace.too_many': { status: 409, message: 'One person may be in so many workspaces, and no more.' },
  'invite.too_many': { status: 409, message: 'There are too many invitations: revoke some, or wait for a day.' },
  'key.too_many': { status: 409, message: 'There are too many API keys: revoke some.' },
  'webhook.too_many': { status: 409, message: 'There are too many webhooks in this workspace: delete some.' },
  'webhook.disabled': { status: 409, message: 'The webhook is disabled: enable it first.' },
  'view.too_many': {
    status: 409,
    message: 'There are too many views of this kind (your own, or shared): delete some.',
  },
  'mailbox.already_connected': {
    status: 409,
    message: 'This mailbox is connected already, here or in another workspace.',
  },
  'mailbox.not_active': {
    status: 409,
    message: 'The mailbox does not work at the moment: resume it, or connect it again.',
  },
  'mailbox.too_many': { status: 409, message: 'There are too many mailboxes in this workspace: disconnect some.' },
  'idempotency.key_reused': { status: 409, message: 'This Idempotency-Key was used with another request body.' },
  'idempotency.in_progress': { status: 409, message: 'The first request with this Idempotency-Key is still running.' },
  'idempotency.secret_not_repeatable': {
    status: 409,
    message: 'The first answer held a secret, which is told only once: revoke what was made, and make it anew.',
  },
  'mailbox.consent_expired': {
    status: 410,
    message: 'This consent was used, has run out or is not known: begin again.',
  },
  'auth.link_expired': { status: 410, message: 'This link was used, has run out or is not known.' },
  'attachment.url_expired': { status: 410, message: 'This address of the file has run out: read the message again.' },
  'ticket.version_mismatch': { status: 412, message: 'The ticket has changed since the version that If-Match names.' },
  'request.too_large': { status: 413, message: 'The request is too large.' },
  'workspace.storage_full': {
    status: 413,
    message:
      'This workspace has reached its storage limit: nothing new can be written or uploaded until the operator raises it.',
  },
  'request.unsupported_media_type': {
    status: 415,
    message: 'The body is of a type that this address does not take: most take application/json.',
  },
  'request.range_not_satisfiable': {
    status: 416,
    message: 'The file has no such part: see Content-Range for its size.',
  },
  rate_limited: { status: 429, message: 'Too many requests: wait for the time that Retry-After names.' },
  'workspace.recipient_limit': {
    status: 429,
    message:
      'This workspace has reached its limit of new recipients, and nothing was sent: wait for the time that Retry-After names, or ask the operator for a higher limit.',
  },
  internal: { status: 500, message: 'Something went wrong on our side. The x-correlation-id names the log line.' },
  unavailable: { status: 503, message: 'The service is not available right now: try again shortly.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorKey = keyof typeof errorCatalog;
export type ErrorParams = Record<string, unknown>;
export type ErrorBody = { key: ErrorKey; params: ErrorParams; fallbackMessage: string };
export type Issue = { path: string; message: string };

/** An outcome that the caller is told of, thrown by whoever notices it and turned into an answer by the error handler. */
export class AppError extends Error {
  readonly key: ErrorKey;
  readonly params: ErrorParams;
  /** Headers that the answer carries beside the body, such as `retry-after`. */
  readonly headers: Record<string, string>;

  constructor(
    key: ErrorKey,
    params: ErrorParams = {},
    options: { cause?: unknown; headers?: Record<string, string> } = {},
  ) {
    const { message } = errorCatalog[key];
    const { stackTraceLimit } = Error;
    // What is no fault of the code is never looked for in it, and noting where it arose took as long as the answer, in a flood of
    // what must be refused as well.
    if (key !== 'internal') Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'AppError';
    this.key = key;
    this.params = params;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return errorCatalog[this.key].status;
  }

  get body(): ErrorBody {
    return { key: this.key, params: this.params, fallbackMessage: this.message };
  }
}

/** 400 `request.invalid` with every issue found; paths are dotted, from the part of the request: `body.tags.0`. */
export function invalidRequest(...issues: Issue[]): AppError {
  return new AppError('request.invalid', { issues });
}

export type RatePolicy = { name: string; max: number; windowSeconds: number };

/** 429 `rate_limited` with when to come back, and the fields of draft-ietf-httpapi-ratelimit-headers-10. */
export function rateLimited({ name, max, windowSeconds }: RatePolicy, waitSeconds: number): AppError {
  const headers = {
    'retry-after': String(waitSeconds),
    ratelimit: `"${name}";r=0;t=${waitSeconds}`,
    'ratelimit-policy': `"${name}";q=${max};w=${windowSeconds}`,
  };
  return new AppError('rate_limited', {}, { headers });
}
