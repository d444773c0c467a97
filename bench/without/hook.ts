/**
 * Makes a process do without one speed mechanism: `node --import ./bench/without/hook.ts …` with `BENCH_WITHOUT=<name>`
 * loads `bench/without/<name>.ts` in place of a module of the service.
 */
import { registerHooks } from 'node:module';
import { mechanismOf, moduleOf, replacedLine, replacementOf } from './mechanisms.ts';

const [name, { replaces, importedBy }] = mechanismOf(process.env);
const replaced = moduleOf(replaces).href;
const replacement = replacementOf(name).href;
const importer = importedBy === undefined ? undefined : moduleOf(importedBy).href;
let isTold = false;

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    if (found.url !== replaced || context.parentURL === replacement) return found;
    if (importer !== undefined && context.parentURL !== importer) return found;
    if (!isTold) console.error(replacedLine(name));
    isTold = true;
    return { ...found, url: replacement };
  },
});
