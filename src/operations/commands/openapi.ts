import { readFile, writeFile } from 'node:fs/promises';
import { openApp } from '../../app.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import { readCommandLine, wrongUsage } from '../../ground/platform/command-line.ts';
import { openLog } from '../../ground/platform/log.ts';
import { readConfig } from '../../ground/settings/config.ts';
import { buildServer } from '../../server.ts';

const path = new URL('../../../openapi.json', import.meta.url);

/**
 * Writes `openapi.json` from the routes. With `--check`, only checks whether the file matches the routes.
 * Needs no database and no settings: the document is the same on every machine.
 */
export async function openapiCommand(parameters: string[]): Promise<number> {
  const { values, positionals } = readCommandLine('openapi', parameters, { check: { type: 'boolean' } });
  if (positionals.length > 0) throw wrongUsage('openapi');
  const text = await openApiText();
  if (values.check !== true) {
    await writeFile(path, text);
    return 0;
  }
  const written = await readFile(path, 'utf8').catch(() => '');
  if (written === text) return 0;
  throw new StartError('openapi.json does not match the routes: run "npm run openapi" and commit it with them.');
}

async function openApiText(): Promise<string> {
  const unused = 'postgres://unused.invalid/unused';
  const secret = 'unused'.repeat(8);
  const config = readConfig({ DATABASE_URL: unused, AUTH_SECRET: secret, ENCRYPTION_KEY: secret });
  const app = openApp({ config, log: openLog('silent'), databaseUrl: unused });
  const server = await buildServer(app);
  await server.ready();
  const document = server.swagger();
  await server.close();
  await app.close();
  return `${JSON.stringify(document, null, 2)}\n`;
}
