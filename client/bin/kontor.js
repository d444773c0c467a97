#!/usr/bin/env node
// Plain JavaScript, so that any Node can run it. A published package has the built program; a clone of the repository
// runs the sources, with the Node that `npm ci` installed unless this one can.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = new URL('../src/cli/main.ts', import.meta.url);
const pinnedNode = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url));

if (!existsSync(source)) await import('../dist/cli/main.js');
else if (process.features.typescript) await import(source.href);
else {
  const parameters = [fileURLToPath(source), ...process.argv.slice(2)];
  const { status, error } = spawnSync(pinnedNode, parameters, { stdio: 'inherit' });
  if (error !== undefined)
    process.stderr.write(`Kontor's own Node is missing: run "npm ci" first (${error.message}).\n`);
  process.exitCode = status ?? 1;
}
