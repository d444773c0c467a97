import { openGraphEmulator } from '../../emulators/graph.ts';
import { openIdentityEmulator } from '../../emulators/identity.ts';
import { openImapEmulator } from '../../emulators/imap.ts';
import { sql } from '../../src/ground/database/sql.ts';
import { buildHouse, type House } from '../harness/harness.ts';
import { call } from '../worlds/factories.ts';
import {
  errorShapeFault,
  type Operation,
  operationsOf,
  type Sent,
  send,
  uuidSchemaOf,
  type WalkAnswer,
  workspacePrefix,
} from './api-walk.ts';
import {
  asPerson,
  attempt,
  candidates,
  fill,
  makeWorld,
  personNames,
  requestOf,
  type WalkedHouse,
  type World,
} from './isolation-world.ts';

/** A house in which every route can be called with success. */
export async function buildWalkedHouse(extend?: Parameters<typeof buildHouse>[1]) {
  const providers = await openIdentityEmulator();
  const graph = await openGraphEmulator();
  const imap = await openImapEmulator({ isPlain: true });
  const settings = {
    OAUTH_A_CLIENT_ID: 'client-of-kontor',
    OAUTH_A_ISSUER: providers.url,
    ...graph.settings,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    MAIL_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  const endAt = (port: number) => ({ host: imap.host, port, security: 'none' });
  const house = await buildHouse(settings, extend);
  return {
    ...house,
    idTokenOf: (sub: string) => providers.mint({ family: 'google', claims: { sub } }),
    addHostedMailbox: (address: string) => graph.addMailbox({ address }).refreshToken,
    addImapMailbox: (address: string) => {
      const { password } = imap.addAccount(address, 'a secret');
      const ends = { imap: endAt(imap.ports.imap), smtp: endAt(imap.ports.submission) };
      return { provider: 'imap', address, password, ...ends };
    },
    close: async () => {
      await house.close();
      await Promise.all([providers.close(), graph.close(), imap.close()]);
    },
  };
}

/**
 * Tries every documented operation from the wrong side of every border between two workspaces. It fills both over the
 * API from the API's own schemas, so a new route is tried automatically.
 * @param fills selects the operations that fill the workspaces
 * @returns a sentence for each leak, and for each border that could not be tried
 */
export async function walkIsolation(
  house: WalkedHouse,
  fills: (operation: Operation) => boolean = () => true,
): Promise<string[]> {
  const { body: document } = await call(house, 'GET', '/v1/openapi.json');
  const operations = operationsOf(document);
  const ours = await makeWorld(house, 'ours');
  const theirs = await makeWorld(house, 'theirs');
  for (const world of [ours, theirs]) await fill(house, world, operations.filter(fills));
  await numberFarAhead(house, theirs);

  const faults: string[] = [];
  for (const operation of operations) {
    const isBelow = operation.path.startsWith(workspacePrefix);
    if (operation.isPublic && isBelow) faults.push(`${operation.name}: below a workspace, and public`);
    if (operation.isPublic) continue;
    faults.push(...(await tryWithoutToken(house, operation, ours)));
    if (!isBelow) continue;
    faults.push(...(await tryWrongWorkspace(house, operation, ours, theirs)));
    faults.push(...(await tryForeignPathIds(house, operation, ours, theirs)));
    faults.push(...(await tryForeignFields(house, operation, ours, theirs)));
    faults.push(...(await tryAsViewer(house, operation, ours)));
  }
  const walked = operations.filter(({ isPublic }) => !isPublic);
  return [...faults, ...(await readEverything(house, walked, ours, theirs))];
}

/**
 * Tries every operation of a workspace as somebody from whom some of its tickets are hidden. They must get the answers
 * that they would get if these tickets did not exist.
 * @param ours what the person themselves has made
 * @param hidden has the ids of the hidden tickets and of what belongs to them, and no others
 */
export async function walkHidden(house: House, ours: World, hidden: World): Promise<string[]> {
  const { body: document } = await call(house, 'GET', '/v1/openapi.json');
  const below = operationsOf(document).filter(({ path, isPublic }) => path.startsWith(workspacePrefix) && !isPublic);
  // A person who changes teams could let themselves in.
  const harmless = below.filter(({ path, method }) => !path.includes('/teams') || method === 'GET');
  await fill(house, ours, harmless);
  const faults: string[] = [];
  for (const operation of harmless) {
    const isOfTickets = operation.pathNames.slice(1).every((name) => candidates(hidden, name).length > 0);
    if (isOfTickets) faults.push(...(await tryForeignPathIds(house, operation, ours, hidden)));
    faults.push(...(await tryForeignFields(house, operation, ours, hidden)));
    const answer = operation.method === 'GET' ? await attempt(house, operation, ours, ours.owner) : undefined;
    if (answer !== undefined) faults.push(...leaks(operation, 'rightly asked', answer, hidden));
  }
  return faults;
}

/**
 * Both workspaces number their tickets from 1. A high number keeps the other workspace's number distinct from anything
 * else in an answer.
 */
export async function numberFarAhead(house: House, theirs: World): Promise<void> {
  const lastNumber = 81_234_566;
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update ticket_counters set last_number = ${lastNumber} where workspace_id = ${theirs.owner.workspaceId}`),
  );
  await theirs.owner.call('POST', '/tickets', { subject: theirs.marker, body: theirs.marker });
  theirs.ids.set('ticketNumber', new Set([String(lastNumber + 1)]));
}

async function tryWithoutToken(house: House, operation: Operation, ours: World): Promise<string[]> {
  const request = requestOf(operation, ours);
  if (request === undefined) return [];
  const answer = await send(house, operation, request.url, request.body, { workspaceHeader: ours.owner.workspaceId });
  return expectError(operation, 'without a token', answer, 401, 'auth.token_missing');
}

async function tryWrongWorkspace(house: House, operation: Operation, ours: World, theirs: World): Promise<string[]> {
  const request = requestOf(operation, ours);
  if (request === undefined) return [];
  const { url, body } = request;
  const our = ours.owner.workspaceId;
  const their = theirs.owner.workspaceId;
  const go = (path: string, sent: Sent) => send(house, operation, path, body, sent);
  const theirUrl = url.replace(our, their);
  const token = ours.owner.token;
  return [
    ...expectError(
      operation,
      'with the token of another workspace',
      await go(url, { token: theirs.owner.token, workspaceHeader: our }),
      403,
      'workspace.forbidden',
    ),
    ...expectError(
      operation,
      'without the header x-workspace-id',
      await go(url, { token }),
      400,
      'workspace.header_missing',
    ),
    ...expectError(
      operation,
      'on the path of another workspace',
      await go(theirUrl, { token, workspaceHeader: our }),
      400,
      'workspace.header_mismatch',
    ),
    ...expectError(
      operation,
      'on the path and with the header of another workspace',
      await go(theirUrl, { token, workspaceHeader: their }),
      403,
      'workspace.forbidden',
    ),
  ];
}

/** An id of the other workspace must get the same answer as an unknown id. */
async function tryForeignPathIds(house: House, operation: Operation, ours: World, theirs: World): Promise<string[]> {
  const faults: string[] = [];
  for (const name of operation.pathNames.slice(1)) {
    const ask = async (value: string): Promise<WalkAnswer | undefined> => {
      const request = requestOf(operation, ours, { substitute: { at: 'path', name, value } });
      return request && (await send(house, operation, request.url, request.body, asPerson(ours.owner)));
    };
    const own = new Set(candidates(ours, name));
    const foreign = candidates(theirs, name).find((id) => !own.has(id));
    const unknownId = name === 'ticketNumber' ? '987654321' : crypto.randomUUID();
    const [theirAnswer, unknownAnswer] = [foreign && (await ask(foreign)), await ask(unknownId)];
    if (!foreign || !theirAnswer || !unknownAnswer) {
      faults.push(`${operation.name}: no ${name} to try, because nothing that could be made over the API gave one`);
      continue;
    }
    const said = theirAnswer.text.replaceAll(foreign, '<id>');
    // Nobody who may not call the operation learns anything.
    if (theirAnswer.status === 403 && unknownAnswer.text === theirAnswer.text) continue;
    if (theirAnswer.status !== 404)
      faults.push(
        `${operation.name}: a ${name} of another workspace answers ${theirAnswer.status}, not 404: ` +
          said.slice(0, 200),
      );
    else if (said !== unknownAnswer.text.replaceAll(unknownId, '<id>'))
      faults.push(`${operation.name}: a ${name} of another workspace is told apart from an unknown one`);
  }
  return faults;
}

/** Tries ids of the other workspace in every field of body and query that takes an id. */
async function tryForeignFields(house: House, operation: Operation, ours: World, theirs: World): Promise<string[]> {
  const faults: string[] = [];
  const fields: { at: 'body' | 'query'; name: string; schema: object }[] = [
    ...Object.entries(operation.body?.properties ?? {}).map(([name, schema]) => ({
      at: 'body' as const,
      name,
      schema,
    })),
    ...operation.query.map(({ name, schema }) => ({ at: 'query' as const, name, schema })),
  ];
  for (const { at, name, schema } of fields) {
    const isPerson = personNames.test(name);
    if (uuidSchemaOf(schema) === undefined && !isPerson) continue;
    for (const foreign of new Set([...theirs.ids].map(([, ids]) => [...ids][0] ?? ''))) {
      const request = requestOf(operation, ours, { substitute: { at, name, value: foreign } });
      if (request === undefined) continue;
      const answer = await send(house, operation, request.url, request.body, asPerson(ours.owner));
      // A draft that the caller has seen is only compared with its own.
      const isRefused = [400, 404, 409].includes(answer.status) || answer.body?.key === 'auth.session_required';
      if (at === 'body' && !isRefused)
        faults.push(`${operation.name}: ${name} of another workspace answers ${answer.status}`);
      faults.push(...leaks(operation, `with ${name} of another workspace`, answer, theirs, foreign));
    }
  }
  return faults;
}

async function tryAsViewer(house: House, operation: Operation, ours: World): Promise<string[]> {
  if (operation.method === 'GET') return [];
  const request = requestOf(operation, ours);
  if (request === undefined) return [];
  const isOwn =
    ['notifications', 'views'].some((own) => operation.path.startsWith(`${workspacePrefix}/${own}`)) ||
    operation.path.endsWith('/members/me') ||
    operation.path.endsWith('/followers') ||
    /\/(?:seen|presence)$/.test(operation.path);
  const answer = await send(house, operation, request.url, request.body, asPerson(ours.viewer));
  if (isOwn) return answer.status === 403 ? [`${operation.name}: a viewer may not do what is their own`] : [];
  return expectError(operation, 'as a viewer', answer, 403, 'auth.role_insufficient');
}

/**
 * Every operation succeeds for a permitted caller, and its answer reveals nothing of the other workspace. Deletions
 * come last.
 */
async function readEverything(house: House, operations: Operation[], ours: World, theirs: World): Promise<string[]> {
  const faults: string[] = [];
  const order = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  const rankOf = ({ path, method }: Operation) => {
    // Runs first, since later operations, such as a new password, end the spare session.
    if (path.startsWith('/v1/me/sessions/')) return -2;
    // Runs early, since later operations, such as a merge, take the queued answer from its ticket.
    if (/\/messages\/[^/]+\/(?:reschedule|retry|cancel|handled)$/.test(path)) return -1;
    // Takes away all other rules.
    if (path.endsWith('/rules/bundle') && method === 'PUT') return order.length;
    // Runs before the team is deleted.
    if (method === 'DELETE' && path.includes('/teams/{teamId}/members')) return order.indexOf(method) - 0.5;
    return order.indexOf(method);
  };
  let open = operations.toSorted((a, b) => rankOf(a) - rankOf(b));
  // One call may need what another makes, so failed calls repeat as long as some succeed.
  for (let before = -1; before !== open.length; ) {
    before = open.length;
    const failed: Operation[] = [];
    for (const operation of open) {
      const answer = await attempt(house, operation, ours, ours.owner);
      if (answer === undefined || answer.status >= 300) failed.push(operation);
      if (answer !== undefined) faults.push(...leaks(operation, 'rightly asked', answer, theirs));
    }
    open = failed;
  }
  return [
    ...faults,
    ...open.map(({ name }) => `${name}: no request made from its schema succeeded, so its answer was never seen`),
  ];
}

function expectError(operation: Operation, how: string, answer: WalkAnswer, status: number, key: string): string[] {
  const shape = errorShapeFault(answer);
  if (answer.status !== status || answer.body?.key !== key)
    return [`${operation.name}: ${how} it answers ${answer.status} ${answer.body?.key ?? ''}, not ${status} ${key}`];
  return shape === undefined ? [] : [`${operation.name}: ${how}: ${shape}`];
}

function leaks(
  operation: Operation,
  how: string,
  { text, headers }: WalkAnswer,
  theirs: World,
  sent?: string,
): string[] {
  const said = `${text}\n${JSON.stringify([...headers])}`;
  const secrets = [theirs.marker, ...[...theirs.ids.values()].flatMap((ids) => [...ids])].filter(
    (secret) => secret !== sent,
  );
  const told = secrets.filter((secret) => said.includes(secret));
  return told.length === 0
    ? []
    : [`${operation.name}: ${how} it tells of another workspace: ${told.slice(0, 3).join(', ')}`];
}
