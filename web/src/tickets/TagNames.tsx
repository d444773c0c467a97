import { useQuery } from '@tanstack/react-query';
import { caseKey } from './filters.ts';
import { tagsQuery } from './queries.ts';

type Props = { workspaceId: string; tags: readonly string[]; className: string | undefined };

/** Tags, each in its colour. */
export function TagNames({ workspaceId, tags, className }: Props) {
  const colours = useQuery(tagsQuery(workspaceId)).data?.colours;
  return tags.map((tag) => (
    <span
      key={tag}
      className={className}
      dir="auto"
      data-tag-colour={colours?.find((coloured) => caseKey(coloured.tag) === caseKey(tag))?.colour}
    >
      {tag}
    </span>
  ));
}
