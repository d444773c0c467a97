import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { auditSubjects } from '../src/catalog/audit.ts';
import later from '../web/src/words/en-later.json' with { type: 'json' };
import settings from '../web/src/words/en-settings.json' with { type: 'json' };
import { firstLoad, keysIn } from './web-words.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(path, 'utf8');

test('the first load uses no words that load later', () => {
  const files = firstLoad(join(root, 'web/src/main.tsx'), read);
  expect(files.length).toBeGreaterThan(50);
  const early = files.flatMap((path) =>
    keysIn(path, read(path), Object.keys({ ...later, ...settings })).map(
      (key) => `${path}: move "${key}" to web/src/words/en.json`,
    ),
  );
  expect(early).toEqual([]);
});

test('only the settings use the words that load with them', () => {
  const files = globSync('web/src/**/*.{ts,tsx}', { cwd: root }).filter(
    (path) => !path.startsWith('web/src/settings/') && !path.endsWith('schema.d.ts'),
  );
  expect(files.length).toBeGreaterThan(100);
  const misplaced = files.flatMap((path) =>
    keysIn(path, read(join(root, path)), Object.keys(settings)).map(
      (key) => `${path}: move "${key}" to web/src/words/en-later.json`,
    ),
  );
  expect(misplaced).toEqual([]);
});

test('every entry of the audit log has a sentence', () => {
  const keys = Object.keys(settings);
  const missing = Object.keys(auditSubjects).filter(
    (type) => !keys.some((key) => key === `audit.${type}` || key.startsWith(`audit.${type}.`)),
  );
  expect(missing).toEqual([]);
});

test('keys are found as literals and in templates, and lazy imports are not followed', () => {
  const files: Record<string, string> = {
    'a/main.ts': `import { b } from './b.ts'; import type { C } from './c.ts'; const d = () => import('./d.ts');`,
    'a/b.ts': `words('one.two'); words(\`\${name}.empty\`); words(\`three.\${name}\`); const free = \`\${x} \${y}\`;`,
  };
  expect(firstLoad('a/main.ts', (path) => files[path] as string)).toEqual(['a/main.ts', 'a/b.ts']);
  const keys = ['one.two', 'one.three', 'list.mine.empty', 'three.four', 'four'];
  expect(keysIn('a/b.ts', files['a/b.ts'] as string, keys)).toEqual(['one.two', 'list.mine.empty', 'three.four']);
});
