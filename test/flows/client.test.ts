import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Rolldown } from 'vite';
import { beforeAll, expect, test } from 'vitest';
import { runScenario, type ScenarioInput } from '../../client/test/scenario.ts';
import { useHouse } from '../harness/harness.ts';
import { openServer } from '../harness/small-server.ts';
import { sharedBrowser } from '../pages/browser.ts';
import { call, givePassword, makeOwner } from '../worlds/factories.ts';

const house = useHouse({ CORS_ORIGINS: '*' });
const password = 'a long enough secret';

async function signedIn(): Promise<ScenarioInput> {
  const { email, workspaceId } = await givePassword(house, await makeOwner(house), password);
  const { body } = await call(house, 'POST', '/v1/auth/session', { provider: 'local', email, password });
  return { url: house.url, workspaceId, accessToken: body.accessToken, refreshToken: body.refreshToken };
}

const expected = {
  paged: ['one', 'two', 'three', 'four', 'five'],
  total: '5',
  events: ['ticket.created', 'message.added'],
  stale: { status: 412, key: 'ticket.version_mismatch', params: { currentVersion: 2 } },
  lostAnswers: { asked: 4, isTheOne: true },
  files: { fileName: 'grüße.txt', size: 200_000, sent: 200_000, downloaded: 200_000 },
  refreshed: { refreshes: 1, isNew: true },
  stream: { seen: ['opened', 'before the break', 'opened again', 'during the break'], connections: 2 },
  aborted: 'AbortError',
};

test('the client does its work in Node', async () => {
  expect(await runScenario(await signedIn())).toEqual(expected);
});

describeInChromium();

function describeInChromium(): void {
  let script: string;
  beforeAll(async () => {
    const entry = join(import.meta.dirname, '../../client/test/scenario.ts');
    const lib = { entry, formats: ['es' as const], fileName: 'scenario' };
    const built = await build({ configFile: false, logLevel: 'warn', build: { lib, write: false, minify: false } });
    const [{ output }] = built as [Rolldown.RolldownOutput];
    script = output[0].code;
  });

  test('the same client does its work on a page of another origin in Chromium', async ({ onTestFinished }) => {
    const server = await openServer((request, response) => {
      const isScript = request.url === '/scenario.js';
      response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
      response.end(
        isScript
          ? `${script}\nwindow.runScenario = runScenario;`
          : '<script type="module" src="/scenario.js"></script>',
      );
    });
    const page = await (await sharedBrowser()).newPage();
    onTestFinished(async () => {
      await page.close();
      await server.close();
    });
    await page.goto(server.url);
    const seen = await page.evaluate(
      (input) => (globalThis as unknown as { runScenario: typeof runScenario }).runScenario(input),
      await signedIn(),
    );
    expect(seen).toEqual(expected);
  });

  test('the library has nothing that only Node knows', async () => {
    expect(script).not.toMatch(/node:|Buffer|require\(/);
    const { dependencies } = JSON.parse(await readFile(join(import.meta.dirname, '../../client/package.json'), 'utf8'));
    expect(Object.keys(dependencies)).toEqual(['openapi-fetch']);
  });
}
