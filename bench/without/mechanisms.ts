import { fileURLToPath } from 'node:url';

/** A speed mechanism of the service, and the module that does without it. */
type Mechanism = {
  /** The module that `bench/without/<name>.ts` replaces, from the root of the repository. */
  replaces: string;
  /** Replaces it only for this module. */
  importedBy?: string;
  /** The behaviour of the replacement. */
  instead: string;
  /** The operations that can become slower. */
  touches: 'all' | 'reading' | 'writing' | 'searching';
};

export const mechanisms: Record<string, Mechanism> = {
  'shared-trips': {
    replaces: 'src/ground/database/shared-trips.ts',
    instead: 'each quick statement takes a connection and a round trip of its own',
    touches: 'reading',
  },
  'column-cache': {
    replaces: 'src/ground/database/statement.ts',
    instead: 'PostgreSQL describes the columns with every result',
    touches: 'all',
  },
  'prepared-statements': {
    replaces: 'src/ground/database/statement.ts',
    instead: 'statements have no name: PostgreSQL parses, plans and describes them each time',
    touches: 'all',
  },
  together: {
    replaces: 'src/ground/database/trip.ts',
    importedBy: 'src/ground/database/transaction.ts',
    instead: 'in a transaction each statement waits for the one before, the commit too',
    touches: 'writing',
  },
  'own-driver': {
    replaces: 'src/ground/database/trip.ts',
    instead: "pg's own queries in its pipeline mode: neither batches, nor row maker, nor column cache",
    touches: 'all',
  },
  'gate-cache': {
    replaces: 'src/access/auth/access-cache.ts',
    instead: 'every request asks the database for the access of its caller',
    touches: 'all',
  },
  'gate-second': {
    replaces: 'src/access/auth/access-cache.ts',
    instead: 'access is cached for half a minute, as if revocations were told to all processes',
    touches: 'all',
  },
  'search-ways': {
    replaces: 'src/inbox/lists/search-ways.ts',
    instead: 'a search walks the newest messages or gathers all matches, in workspaces of any size',
    touches: 'searching',
  },
};

const root = new URL('../../', import.meta.url);

export function replacementOf(name: string): URL {
  return new URL(`${name}.ts`, import.meta.url);
}

export function moduleOf(path: string): URL {
  return new URL(path, root);
}

/** Names the mechanism that a process does without. */
const variable = 'BENCH_WITHOUT';
const hook = new URL('hook.ts', import.meta.url);

/** The settings that make a process do without a mechanism. */
export function settingsWithout(name: string): Record<string, string> {
  return { [variable]: name, NODE_OPTIONS: `--import=${hook.href}` };
}

export function mechanismOf(environment: NodeJS.ProcessEnv): [name: string, mechanism: Mechanism] {
  const name = environment[variable] ?? '';
  const mechanism = mechanisms[name];
  if (mechanism === undefined) throw new Error(`${variable}: "${name}" is none of ${Object.keys(mechanisms)}`);
  return [name, mechanism];
}

/** The hook writes this line when it replaces the module, so that a run can prove that it did. */
export function replacedLine(name: string): string {
  return `bench: without ${name}, ${mechanisms[name]?.replaces} is ${fileURLToPath(replacementOf(name))}`;
}
