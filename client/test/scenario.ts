import { type ClientOptions, createClient, KontorError, type LiveEvent, sessionInMemory } from '../src/index.ts';

/** The service's values for the scenario, which runs in Node and in a browser alike. */
export type ScenarioInput = { url: string; workspaceId: string; accessToken: string; refreshToken: string };

/** Uses each part of the client once. @returns the observed answers, as JSON */
export async function runScenario(input: ScenarioInput) {
  return {
    ...(await ticketSeen(input)),
    lostAnswers: await answersLost(input),
    files: await fileSeen(input),
    refreshed: await sessionSeen(input),
    stream: await streamSeen(input),
    aborted: await abortSeen(input),
  };
}

const open = ({ url, workspaceId, accessToken: auth }: ScenarioInput, own: Partial<ClientOptions> = {}) =>
  createClient({ url, workspaceId, auth, retries: { waitSecondsMax: 2 }, ...own });

async function ticketSeen(input: ScenarioInput) {
  const kontor = open(input);
  const subjects = ['one', 'two', 'three', 'four', 'five'];
  for (const subject of subjects)
    await kontor.post('/v1/workspaces/{workspaceId}/tickets', { body: { subject, body: 'It hums.', tags: ['paged'] } });
  const query = { tags: ['paged'], sort: 'createdAt', order: 'asc', limit: 2 } as const;
  const paged: string[] = [];
  const pages = kontor.pages('/v1/workspaces/{workspaceId}/tickets', {
    params: { query: { ...query, tags: ['paged'] } },
  });
  for await (const { subject } of pages) paged.push(subject);
  const { data, response } = await kontor.request('get', '/v1/workspaces/{workspaceId}/tickets', {
    params: { query: { tags: ['paged'] } },
  });
  const path = { ticketId: data?.[0]?.id ?? '' };
  const note = { body: 'A note.', isInternal: true };
  await kontor.post('/v1/workspaces/{workspaceId}/tickets/{ticketId}/messages', { params: { path }, body: note });
  const events: string[] = [];
  const eventPages = kontor.pages('/v1/workspaces/{workspaceId}/tickets/{ticketId}/events', {
    params: { path, query: { limit: 1 } },
  });
  for await (const { type } of eventPages) events.push(type);
  const stale = kontor.patch('/v1/workspaces/{workspaceId}/tickets/{ticketId}', {
    params: { path, header: { 'if-match': '"1"' } },
    body: { priority: 'high' },
  });
  return {
    paged,
    total: response.headers.get('x-total-count'),
    events,
    stale: await stale.catch((error: unknown) =>
      error instanceof KontorError ? { status: error.status, key: error.key, params: error.params } : String(error),
    ),
  };
}

/** The first answers are lost on their way, so the client asks again. */
async function answersLost(input: ScenarioInput) {
  let lost = 0;
  const kontor = open(input, {
    fetch: async (request) => {
      const response = await fetch(request);
      if (lost++ < 2) throw new TypeError('The answer was lost.');
      return response;
    },
  });
  const { ticketNumber } = await kontor.post('/v1/workspaces/{workspaceId}/tickets', {
    body: { subject: 'Only once', body: 'b', tags: ['once'] },
  });
  const found = await kontor.get('/v1/workspaces/{workspaceId}/tickets', { params: { query: { tags: ['once'] } } });
  return { asked: lost, isTheOne: found.length === 1 && found[0]?.ticketNumber === ticketNumber };
}

async function fileSeen(input: ScenarioInput) {
  const kontor = open(input);
  const bytes = new Uint8Array(200_000).fill(65);
  let sent = 0;
  const { id, fileName, size } = await kontor.upload(new File([bytes], 'grüße.txt', { type: 'text/plain' }), {
    onProgress: (progress) => {
      if (progress.sent < sent || progress.sent > progress.total) throw new Error('progress goes back');
      sent = progress.sent;
    },
  });
  const ticket = await kontor.post('/v1/workspaces/{workspaceId}/tickets', {
    body: { subject: 'With a file', body: 'b', attachmentIds: [id] },
  });
  const { messages } = await kontor.get('/v1/workspaces/{workspaceId}/tickets/{ticketId}', {
    params: { path: { ticketId: ticket.id } },
  });
  const blob = await kontor.get('/v1/workspaces/{workspaceId}/attachments/{attachmentId}', {
    params: { path: { attachmentId: messages[0]?.attachments[0]?.id ?? '' } },
    parseAs: 'blob',
  });
  return { fileName, size, sent, downloaded: (blob as Blob).size };
}

async function sessionSeen({ refreshToken, ...input }: ScenarioInput) {
  // As if the access token had ended: six calls at once need one refresh.
  const session = { accessToken: 'spent', refreshToken, expiresAt: 0, workspaceId: input.workspaceId };
  const store = sessionInMemory(session);
  let refreshes = 0;
  const kontor = open(
    { refreshToken, ...input },
    {
      auth: store,
      fetch: (request) => {
        if (request.url.endsWith('/v1/auth/refresh')) refreshes++;
        return fetch(request);
      },
    },
  );
  const calls = Array.from({ length: 6 }, () => kontor.get('/v1/me'));
  await Promise.all(calls);
  const { accessToken } = await store.load();
  return { refreshes, isNew: accessToken !== 'spent' };
}

/** The stream breaks after the first ticket was seen; the ticket that comes meanwhile is not missed. */
async function streamSeen(input: ScenarioInput) {
  let connections = 0;
  let cut = () => {};
  const control = new AbortController();
  const writer = open(input);
  const reader = open(input, {
    fetch: async (request) => {
      const response = await fetch(request);
      if (connections++ > 0) return response;
      const cuttable = cuttableBody(response);
      cut = cuttable.cut;
      return new Response(cuttable.body, response);
    },
  });
  const make = (subject: string) =>
    writer.post('/v1/workspaces/{workspaceId}/tickets', { body: { subject, body: 'b' } });
  const seen: string[] = [];
  const see = (event: LiveEvent) => {
    if (event.event === 'opened') seen.push(event.data.isResumed ? 'opened again' : 'opened');
    if (event.event === 'ticket') seen.push(event.data.ticket?.subject ?? 'out of sight');
  };
  for await (const event of reader.events({ signal: control.signal })) {
    see(event);
    if (event.event === 'opened' && !event.data.isResumed) await make('before the break');
    if (event.event === 'ticket' && seen.length === 2) {
      cut();
      await make('during the break');
    }
    if (event.event === 'ticket' && seen.length === 4) control.abort();
  }
  return { seen, connections };
}

/** A body that passes everything on until it is cut. What it has passed and nobody has read yet is lost then. */
function cuttableBody({ body }: Response): { body: ReadableStream<Uint8Array<ArrayBuffer>>; cut: () => void } {
  if (body === null) throw new Error('a stream has a body');
  let cut = () => {};
  const passing = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    start(controller) {
      cut = () => controller.error(new TypeError('The network broke.'));
    },
  });
  return { body: body.pipeThrough(passing), cut: () => cut() };
}

async function abortSeen(input: ScenarioInput) {
  const control = new AbortController();
  const kontor = open(input, {
    fetch: () => {
      setTimeout(() => control.abort());
      // Before the abort the service seems out of reach, so the client waits to ask again.
      return Promise.reject(new TypeError('The network is away.'));
    },
  });
  return kontor.get('/v1/me', { signal: control.signal }).catch((error: Error) => error.name);
}
