import { afterAll, beforeAll } from 'vitest';
import { newId } from '../../src/ground/lib/ids.ts';
import { buildHouse, type House } from '../harness/harness.ts';
import { call, givePassword, makeOwner, type Person } from '../worlds/factories.ts';
import { errorShapeFault, type Operation, operationsOf, send, type WalkAnswer } from './api-walk.ts';

type HostileRequest = {
  what: string;
  /** The body field that the refusal must name. */
  field?: string;
  send(): Promise<WalkAnswer>;
};

/** A house under attack. It keeps the errors that the house logs, and has a route that crashes. */
export type BesiegedHouse = {
  house: House;
  person: Person;
  operations: Operation[];
  loggedErrors: string[];
  /** Sends a body to an operation as a permitted member, with unknown ids in its path. */
  ask(
    operation: Operation,
    body?: string | Uint8Array<ArrayBuffer>,
    headers?: Record<string, string>,
    url?: string,
  ): Promise<WalkAnswer>;
  urlOf(operation: Operation): string;
  /** @returns a sentence for each answer that is not a clear refusal, and for each logged error */
  refusals(requests: HostileRequest[], isExpected: (answer: WalkAnswer) => boolean): Promise<string[]>;
};

const sentAtOnce = 16;

/** Call at the top of a test file. */
export function useBesiegedHouse(): BesiegedHouse {
  const besieged = {} as BesiegedHouse;
  let close = async (): Promise<void> => {};
  beforeAll(async () => {
    const house = await buildHouse({}, (server) => {
      const schema = { operationId: 'crash', summary: 'Throws', tags: ['operations'], response: {} };
      server.get('/v1/crash', { config: { public: true }, schema }, () => {
        throw new Error('planted');
      });
    });
    ({ close } = house);
    const person = await makeOwner(house);
    // Some operations ask for the person's password, if any, and these requests do not give it.
    await givePassword(house, person, newId());
    const { body } = await call(house, 'GET', '/v1/openapi.json');
    Object.assign(besieged, besiege(house, person, operationsOf(body)));
  });
  afterAll(() => close());
  return besieged;
}

function besiege(house: House, person: Person, operations: Operation[]): BesiegedHouse {
  const loggedErrors: string[] = [];
  for (const log of [house.app.log, house.server.log]) {
    log.error = (...parts: unknown[]) => loggedErrors.push(JSON.stringify(parts));
    log.fatal = log.error;
  }
  const urlOf = ({ path }: Operation): string =>
    path.replace('{workspaceId}', person.workspaceId).replaceAll(/\{\w+\}/g, () => newId());
  return {
    house,
    person,
    operations,
    loggedErrors,
    urlOf,
    ask: (operation, body, headers = {}, url = urlOf(operation)) =>
      send(house, operation, url, body, {
        token: person.token,
        workspaceHeader: person.workspaceId,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      }),
    refusals: async (requests, isExpected) => {
      const faults: string[] = [];
      for (let start = 0; start < requests.length; start += sentAtOnce) {
        const batch = requests.slice(start, start + sentAtOnce);
        const answers = await Promise.all(batch.map((request) => request.send()));
        faults.push(...batch.flatMap((request, index) => faultsOf(request, answers[index] as WalkAnswer, isExpected)));
      }
      return [...faults, ...loggedErrors.splice(0).map((line) => `logged as an error: ${line.slice(0, 300)}`)];
    },
  };
}

function faultsOf(
  { what, field }: HostileRequest,
  answer: WalkAnswer,
  isExpected: (answer: WalkAnswer) => boolean,
): string[] {
  if (!isExpected(answer)) return [`${what}: ${answer.status} ${answer.text.slice(0, 150)}`];
  const issues: { path: string }[] = answer.body?.params?.issues ?? [];
  if (field !== undefined && !issues.some(({ path }) => path.startsWith(`body.${field}`)))
    return [`${what}: the answer does not name the field: ${answer.text.slice(0, 150)}`];
  const shape = errorShapeFault(answer);
  return shape === undefined ? [] : [`${what}: ${shape}`];
}
