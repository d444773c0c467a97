import ts from 'typescript';
import type { SourceFile } from './boundaries.ts';

/**
 * The rooms of the web inbox from top to bottom. A room imports rooms above it, and `lib` and `words`, which import no
 * room.
 */
const rooms = [
  'api',
  'ui',
  'tickets',
  'session',
  'people',
  'views',
  'notifications',
  'replies',
  'shell',
  'compose',
  'ticket',
  'onboarding',
  'inbox',
  'drafts',
  'undelivered',
  'scheduled',
  'contacts',
  'reports',
  'settings',
];
const ground: Record<string, readonly string[]> = { lib: ['words'], words: [] };
/** These files put the rooms together. */
const roots = ['main.tsx', 'routes.tsx'];

/** @returns a sentence for each import in `web/src` of a room below, and where the code belongs instead */
export function webBoundaryFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    ts
      .preProcessFile(text, true, true)
      .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
      .flatMap(({ fileName }) => faultOf(path, new URL(fileName, `file:///${path}`).pathname.slice(1)) ?? []),
  );
}

function faultOf(path: string, target: string): string | undefined {
  const [from, to] = [roomOf(path), roomOf(target)];
  if (path !== 'web/src/main.tsx' && roots.some((root) => target === `web/src/${root}`))
    return `${path} imports ${target}, which puts the rooms together and is imported by nobody.`;
  if (from === undefined || to === undefined || from === to || to === 'styles') return undefined;
  if (!(from in ground) && !rooms.includes(from))
    return (
      `${path}: there is no room "${from}" in the web inbox; ` +
      'add it to test/source/web-boundaries.ts, between the rooms that it imports and those that import it.'
    );
  const allowed = ground[from] ?? [...Object.keys(ground), ...rooms.slice(0, rooms.indexOf(from))];
  if (allowed.includes(to)) return undefined;
  return from in ground
    ? `${path} imports ${target}: web/src/${from} knows no room; ` +
        `pass what it needs as an argument, or move the code to web/src/${to}.`
    : `${path} imports ${target}: web/src/${from} stands above web/src/${to} and may not import it; ` +
        `move the code to web/src/${to}, or what both need to a room above both.`;
}

/** The room of a file. Undefined for the files in web/src itself, which every room may import except the roots. */
function roomOf(path: string): string | undefined {
  const [, , folder, ...rest] = path.split('/');
  return rest.length === 0 ? undefined : folder;
}
