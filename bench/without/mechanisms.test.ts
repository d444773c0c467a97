import { expect, test } from 'vitest';
import { mechanisms, moduleOf, replacementOf } from './mechanisms.ts';

test.each(Object.entries(mechanisms))('the module without %s has what it replaces has', async (name, { replaces }) => {
  const [service, replacement] = await Promise.all([import(moduleOf(replaces).href), import(replacementOf(name).href)]);
  const kindsIn = (module: object) => Object.entries(module).map(([member, value]) => `${member}: ${typeof value}`);
  expect(kindsIn(replacement).sort()).toEqual(kindsIn(service).sort());
});
