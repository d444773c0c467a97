import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePlace } from '../../session/Guard.tsx';
import { teamsQuery } from '../../tickets/queries.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Choices } from '../../ui/Choices.tsx';
import { words } from '../../words/words.ts';
import styles from './keys.module.css';

/** Null: all tickets that the maker sees. */
export type SeenTeams = readonly string[] | null;

export function useSeenTeams(before: SeenTeams) {
  const [isAll, setIsAll] = useState(before === null);
  const [chosen, setChosen] = useState<readonly string[]>(before ?? []);
  return { isAll, setIsAll, chosen, setChosen, teamIds: isAll ? null : [...chosen] };
}

/** Which tickets a key sees: those of its maker, or only those of some teams. */
export function KeyTeams({ isAll, setIsAll, chosen, setChosen }: ReturnType<typeof useSeenTeams>) {
  const { workspace } = usePlace();
  const teams = useQuery(teamsQuery(workspace.id)).data ?? [];
  if (teams.length === 0 && isAll) return null;
  const shown = teams.filter(({ id, archivedAt }) => archivedAt === null || chosen.includes(id));
  const toggle = (id: string) =>
    setChosen(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id]);
  return (
    <>
      <Choices
        name="sees"
        label={words('keys.sees')}
        options={[
          ['all', words('keys.seesAll')],
          ['teams', words('keys.seesTeams')],
        ]}
        value={isAll ? 'all' : 'teams'}
        onChoose={(sees) => setIsAll(sees === 'all')}
      />
      {!isAll && (
        <fieldset className={styles.teams}>
          <legend className="visually-hidden">{words('keys.seesTeams')}</legend>
          {shown.map(({ id, name }) => (
            // Without a team the key would see nothing. One box has to be checked.
            <Checkbox key={id} checked={chosen.includes(id)} required={chosen.length === 0} onChange={() => toggle(id)}>
              {name}
            </Checkbox>
          ))}
        </fieldset>
      )}
    </>
  );
}
