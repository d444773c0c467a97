import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { inWorkspace } from '../api/client.ts';
import type { operations } from '../api/schema.d.ts';

type Json<Id extends keyof operations> = operations[Id] extends {
  responses: { 200: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;
export type Overview = Json<'readReportOverview'>;
export type Figures = Overview['figures'];
export type Groups = Json<'readReportGroups'>;
export type Grouping = 'mailbox' | 'team' | 'member' | 'tag' | 'priority' | 'channel';

export type Satisfaction = Json<'readReportSatisfaction'>;
export type RatingsBy = 'member' | 'team' | 'mailbox';

/** What all requests of a page ask for. */
export type Asked = {
  from: string;
  to: string;
  timeZone: string;
  clock?: 'calendar' | 'business';
  mailbox?: string[];
  team?: string[];
};

const key = (workspaceId: string) => ['workspace', workspaceId, 'reports'] as const;
/** Figures are made from what has happened, so they are read again when the page is opened. */
const fresh = { staleTime: 30_000, placeholderData: keepPreviousData };

export function overviewQuery(workspaceId: string, asked: Asked, interval: 'day' | 'week' | 'month') {
  return queryOptions({
    queryKey: [...key(workspaceId), 'overview', asked, interval],
    queryFn: () => inWorkspace(workspaceId).GET('/reports/overview', { query: { ...asked, interval } }),
    // Older tickets are still being read.
    refetchInterval: ({ state }) => (state.data?.isComplete === false ? 3_000 : false),
    ...fresh,
  });
}

export function groupsQuery(workspaceId: string, asked: Asked, by: Grouping) {
  return queryOptions({
    queryKey: [...key(workspaceId), 'groups', asked, by],
    queryFn: () => inWorkspace(workspaceId).GET('/reports/groups', { query: { ...asked, by } }),
    ...fresh,
  });
}

export function satisfactionQuery(
  workspaceId: string,
  asked: Asked,
  interval: 'day' | 'week' | 'month',
  by?: RatingsBy,
) {
  const query = { ...asked, interval, ...(by && { by }) };
  return queryOptions({
    queryKey: [...key(workspaceId), 'satisfaction', query],
    queryFn: () => inWorkspace(workspaceId).GET('/reports/satisfaction', { query }),
    ...fresh,
  });
}

export function reportSettingsQuery(workspaceId: string) {
  return queryOptions({
    queryKey: [...key(workspaceId), 'settings'],
    queryFn: () => inWorkspace(workspaceId).GET('/reports/settings'),
  });
}

/** The address of a CSV file. The session's cookie opens it. */
export function csvAddress(workspaceId: string, file: string, asked: Asked & Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(asked))
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one));
  return `/v1/workspaces/${workspaceId}/reports/${file}.csv?${search}`;
}
