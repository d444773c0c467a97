import { queryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { calendarsKey } from '../../tickets/calendars.ts';

export type Calendar = components['schemas']['Calendar'];
export type Place = { country: string; region: string; year: number };

export function calendarQuery(workspaceId: string, calendarId: string) {
  return queryOptions({
    queryKey: [...calendarsKey(workspaceId), calendarId],
    queryFn: () => inWorkspace(workspaceId).GET('/calendars/{calendarId}', { path: { calendarId } }),
  });
}

export function refreshCalendars(workspaceId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: calendarsKey(workspaceId) });
}

export function countriesQuery(workspaceId: string, language: 'en' | 'de') {
  return queryOptions({
    queryKey: ['holiday-countries', language],
    queryFn: () => inWorkspace(workspaceId).GET('/calendars/holiday-countries', { query: { language } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function holidaysQuery(workspaceId: string, { country, region, year }: Place, language: 'en' | 'de') {
  return queryOptions({
    queryKey: ['holidays', country, region, year, language],
    queryFn: () =>
      inWorkspace(workspaceId).GET('/calendars/holidays', {
        query: { country, year, language, ...(region !== '' && { region }) },
      }),
    enabled: country !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
}
