import type { WordKey } from '../words/words.ts';

/** The parameters of a list, as the address bar and the API have them. */
export type ListParameters = {
  status?: string[];
  assignee?: string;
  snoozed?: boolean;
  search?: string;
};

type StandardList = { name: WordKey; parameters: ListParameters };

export const standardLists: readonly StandardList[] = [
  { name: 'list.mine', parameters: { status: ['open'], assignee: 'me' } },
  { name: 'list.unassigned', parameters: { status: ['open'], assignee: 'none' } },
  { name: 'list.open', parameters: { status: ['open'] } },
  { name: 'list.pending', parameters: { status: ['pending'] } },
  { name: 'list.snoozed', parameters: { snoozed: true } },
  { name: 'list.closed', parameters: { status: ['closed'] } },
];

/** Without parameters the address means all that is open. */
export const listDefault: ListParameters = { status: ['open'] };

export function readList(search: string): ListParameters {
  const given = new URLSearchParams(search);
  const status = given.getAll('status').filter(Boolean);
  const assignee = given.get('assignee');
  const words = given.get('search');
  const list: ListParameters = {
    ...(status.length > 0 ? { status } : {}),
    ...(assignee ? { assignee } : {}),
    ...(given.get('snoozed') === 'true' ? { snoozed: true } : {}),
    ...(words ? { search: words } : {}),
  };
  return Object.keys(list).length === 0 ? listDefault : list;
}

export function writeList({ status = [], assignee, snoozed, search }: ListParameters): string {
  const written = new URLSearchParams(status.map((value) => ['status', value]));
  if (assignee !== undefined) written.set('assignee', assignee);
  if (snoozed === true) written.set('snoozed', 'true');
  if (search !== undefined) written.set('search', search);
  return written.toString();
}
