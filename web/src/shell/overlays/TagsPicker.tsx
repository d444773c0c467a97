import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { usePlace } from '../../session/Guard.tsx';
import { caseKey } from '../../tickets/filters.ts';
import { TagDot } from '../../tickets/Marks.tsx';
import { tagsQuery } from '../../tickets/queries.ts';
import { useRows } from '../../tickets/use-ticket-list.ts';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import { type Choice, Picker } from './Picker.tsx';
import { type PickerProps, pickerKeys } from './picker-props.ts';

const lengthMax = 64;

/** Each choice adds a tag to all tickets, or removes it from all. */
export function TagsPicker({ tickets: given, onChange }: PickerProps) {
  const { workspace } = usePlace();
  const rows = useRows(workspace.id);
  const tickets = useMemo(() => given.map((ticket) => rows.get(ticket.id)?.shown ?? ticket), [given, rows]);
  const told = useQuery(tagsQuery(workspace.id)).data;
  const lately = told?.tags;
  const known = useMemo(
    () =>
      knownTags(
        lately ?? [],
        [...tickets, ...[...rows.values()].map(({ shown }) => shown)].flatMap(({ tags }) => tags),
      ),
    [rows, tickets, lately],
  );
  const choices = useFirstOrder(
    known.map((tag): Choice => {
      const isChosen = tickets.every(({ tags }) => tags.some((other) => caseKey(other) === caseKey(tag)));
      const fields = isChosen ? { removeTags: [tag] } : { addTags: [tag] };
      const colour = told?.colours.find((coloured) => caseKey(coloured.tag) === caseKey(tag))?.colour;
      return {
        id: caseKey(tag),
        text: tag,
        mark: <TagDot colour={colour} />,
        isChosen,
        run: () => onChange({ kind: 'fields', fields }),
      };
    }),
  );
  const ofWords = useCallback(
    (text: string): Choice[] =>
      text.length > lengthMax || known.some((tag) => caseKey(tag) === caseKey(text))
        ? []
        : [
            {
              id: `new ${text}`,
              text: words('picker.newTag', { tag: text }),
              mark: <Icon name="plus" />,
              run: () => onChange({ kind: 'fields', fields: { addTags: [text] } }),
            },
          ],
    [known, onChange],
  );
  return (
    <Picker
      isMany
      label={words('command.tags')}
      placeholder={words('picker.tags')}
      keys={pickerKeys('tags')}
      groups={[{ name: words('ticket.tags'), choices }]}
      ofWords={ofWords}
      // Otherwise ⏎ after the beginning of a tag would make a new one.
      areWordsLast
    />
  );
}

/** The chosen ones first, and then always in that order: a second press must not meet another tag. */
function useFirstOrder(choices: readonly Choice[]): Choice[] {
  const [order, setOrder] = useState<readonly string[]>([]);
  const added = choices.filter(({ id }) => !order.includes(id));
  const ids = [...order, ...added.toSorted((a, b) => Number(b.isChosen) - Number(a.isChosen)).map(({ id }) => id)];
  if (added.length > 0) setOrder(ids);
  return choices.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

/**
 * Each tag once, the most used first.
 * @param lately in the order of their use in the workspace; the tags of loaded tickets follow
 */
function knownTags(lately: readonly string[], ofRows: readonly string[]): string[] {
  const rest = [...Map.groupBy(ofRows, caseKey).values()].sort((a, b) => b.length - a.length);
  const byKey = new Map<string, string>();
  for (const tag of [...lately, ...rest.flatMap(([first]) => first ?? [])])
    if (!byKey.has(caseKey(tag))) byKey.set(caseKey(tag), tag);
  return [...byKey.values()];
}
