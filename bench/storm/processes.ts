import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { runService, type ServiceProcess } from '../../test/harness/service-process.ts';
import { gmailSide } from './gmail-side.ts';
import { graphSide } from './graph-side.ts';
import { commandOf, type Side } from './side.ts';

/** Both providers' emulators, each in its own process. */
export type Emulators = {
  sides: Side[];
  /** The service's settings that point to the emulators. */
  settings: Record<string, string>;
  processes: ServiceProcess[];
};

type EmulatorOptions = {
  hasStalls: boolean;
  /** Gmail's quota units for a mailbox in a minute. Null: no limit. Default: Google's own quota. */
  unitsPerMinute?: null;
};

/** The last setting that each emulator prints on its start. */
const lastSettings = { graph: /MAIL_A_CLIENT_SECRET=\S+\n/, gmail: /MAIL_B_PUSH_SERVICE_ACCOUNT=\S+\n/ };

/** @param serviceUrl the address for notifications */
export async function startEmulators(
  serviceUrl: string,
  { hasStalls, ...limits }: EmulatorOptions,
): Promise<Emulators> {
  const [graph, gmail] = await Promise.all([startEmulator('graph'), startEmulator('gmail')]);
  const settings = { ...graph.settings, ...gmail.settings };
  const graphUrl = new URL(settings.MAIL_A_API_URL ?? '').origin;
  const gmailUrl = settings.MAIL_B_API_URL ?? '';
  await commandOf(gmailUrl)('configure', { endpoint: `${serviceUrl}/v1/webhooks/mail-b`, ...limits });
  return {
    sides: [graphSide(graphUrl, { hasStalls }), gmailSide(gmailUrl, { hasStalls })],
    settings,
    processes: [graph.running, gmail.running],
  };
}

async function startEmulator(
  name: keyof typeof lastSettings,
): Promise<{ running: ServiceProcess; settings: Record<string, string> }> {
  const running = runService({}, [`emulators/${name}.ts`, '0']);
  await running.seen(lastSettings[name]);
  const settings = [...running.output().matchAll(/(\w+)=(\S+)/g)].map(([, key = '', value = '']) => [key, value]);
  return { running, settings: Object.fromEntries(settings) };
}

/** The service as several processes on one database. A killed process starts again. */
export type Fleet = {
  url: string;
  processes(): ServiceProcess[];
  /** Kills a process with `kill -9`, and restarts it after `downMs`. @returns its role */
  kill(member: number, downMs: number): Promise<string>;
  size: number;
  /** Processes that ended by themselves, and errors in the logs. */
  complaints(): string[];
  stop(): Promise<void>;
};

type FleetOptions = {
  port: number;
  databaseUrl: string;
  dataDir: string;
  workers: number;
  settings: Record<string, string>;
};

const readySecondsMax = 60;

export async function startFleet({ port, databaseUrl, dataDir, workers, settings }: FleetOptions): Promise<Fleet> {
  const url = `http://localhost:${port}`;
  const environment = {
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_MINUTE: '0',
    EMAIL_VERIFICATION: 'off',
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: url,
    AUTH_SECRET: randomBytes(32).toString('hex'),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    MAIL_A_WEBHOOK_SECRET: randomBytes(24).toString('hex'),
    ...settings,
  };
  const roles = ['api', ...Array.from({ length: workers }, () => 'worker')];
  const complaints: string[] = [];
  const expected = new Set<ServiceProcess>();
  const start = (role: string): ServiceProcess => {
    // As operators start it, with the flags that keep memory low.
    const running = runService({ ...environment, ROLES: role });
    void running.exited.then(({ code, signal }) => {
      complaints.push(...faultsIn(running.output()));
      if (!expected.has(running)) complaints.push(`a process of ${role} ended by itself (${signal ?? code})`);
    });
    return running;
  };
  const members = roles.map((role) => ({ role, running: start(role) }));
  await untilReady(url);
  return {
    url,
    size: members.length,
    processes: () => members.map(({ running }) => running),
    kill: async (index, downMs) => {
      const member = members[index % members.length];
      if (member === undefined) throw new Error('there is no process to kill');
      expected.add(member.running);
      member.running.process.kill('SIGKILL');
      await member.running.exited;
      await sleep(downMs);
      member.running = start(member.role);
      return member.role;
    },
    complaints: () => complaints,
    stop: async () => {
      for (const { running } of members) {
        expected.add(running);
        running.process.kill('SIGTERM');
      }
      await Promise.all(members.map(({ running }) => running.exited));
    },
  };
}

async function untilReady(url: string): Promise<void> {
  for (let waited = 0; waited < readySecondsMax * 20; waited++) {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(50);
  }
  throw new Error('the service was not ready in time');
}

/** Log lines of level error and above. */
function faultsIn(output: string): string[] {
  return output.split('\n').filter((line) => /"level":(50|60)/.test(line));
}
