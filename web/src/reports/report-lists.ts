import { paths } from '../paths.ts';
import { type ListParameters, writeList } from '../tickets/lists.ts';
import type { Asked, Grouping } from './queries.ts';

export type Happening =
  | ('created' | 'firstResponse' | 'response' | 'resolution' | 'oneTouch' | 'reopened')
  | ('rated' | 'satisfied');

/** The list of the tickets that a figure counts. @param by the member whose figure it is, or `none` */
export function listOfFigure(
  { from, to, mailbox, team }: Asked,
  happening: Happening,
  also: ListParameters = {},
  by?: string,
): string {
  const list: ListParameters = {
    archived: 'any',
    happened: [happening, from, to, ...(by === undefined ? [] : [by])].join('/'),
    ...(mailbox && { mailbox }),
    ...(team && { team }),
    ...also,
  };
  return paths.list(writeList(list));
}

/** The filter that a group stands for. Undefined: no filter names it. */
export function filterOfGroup(by: Grouping, key: string | null): ListParameters | undefined {
  if (by === 'mailbox') return key === null ? undefined : { mailbox: [key] };
  if (by === 'team') return { team: [key ?? 'none'] };
  if (by === 'tag') return key === null ? undefined : { tags: [key] };
  // The figure names the member.
  if (by === 'member') return {};
  if (by === 'priority') return key === null ? undefined : { priority: key };
  return undefined;
}
