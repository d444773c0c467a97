import { queryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { inWorkspace } from '../../api/client.ts';
import type { operations } from '../../api/schema.d.ts';
import { tagListQuery, tagsQuery } from '../../tickets/queries.ts';

export type Tag = operations['listTags']['responses']['200']['content']['application/json'][number];
export type Colour = NonNullable<Tag['colour']>;
export type TagUse = operations['readTagUse']['responses']['200']['content']['application/json'];

/** The colours that the service knows; tsc fails if a colour is missing. */
const known: Record<Colour, true> = {
  red: true,
  orange: true,
  yellow: true,
  green: true,
  teal: true,
  blue: true,
  purple: true,
  pink: true,
};
export const colours = Object.keys(known) as Colour[];

export function tagUseQuery(workspaceId: string, tag: string) {
  return queryOptions({
    queryKey: [...tagListQuery(workspaceId).queryKey, 'use', tag],
    queryFn: () => inWorkspace(workspaceId).GET('/tags/use', { query: { tag } }),
    staleTime: 0,
  });
}

/** @throws `tag.exists` if there is a tag `to` and `merge` does not agree to it */
export async function renameTag(workspaceId: string, body: { tag: string; to: string; merge: boolean }): Promise<void> {
  await inWorkspace(workspaceId).POST('/tags/rename', { body });
  await readAgain(workspaceId);
}

export async function deleteTag(workspaceId: string, tag: string): Promise<void> {
  await inWorkspace(workspaceId).POST('/tags/delete', { body: { tag } });
  await readAgain(workspaceId);
}

export async function colourTag(workspaceId: string, body: { tag: string; colour: Colour | null }): Promise<void> {
  await inWorkspace(workspaceId).PUT('/tags/colour', { body });
  await readAgain(workspaceId);
}

async function readAgain(workspaceId: string): Promise<void> {
  await Promise.all(
    [
      tagListQuery(workspaceId).queryKey,
      ['workspace', workspaceId, 'bulk-changes'],
      tagsQuery(workspaceId).queryKey,
    ].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  );
}
