#!/usr/bin/env node
// Plain JavaScript, so that any Node can run it. A published package has the built program; a clone of the repository
// runs the sources, with the Node that `npm ci` installed unless this one can.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = new URL('../src/cli/main.ts', import.meta.url);

if (!existsSync(source)) await import('../dist/cli/main.js');
else if (process.features.typescript) await import(source.href);
else {
  const { runBeside } = await import('../../scripts/launch.js');
  runBeside([fileURLToPath(source), ...process.argv.slice(2)], process.env);
}
