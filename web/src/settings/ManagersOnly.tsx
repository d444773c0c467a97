import { useQuery } from '@tanstack/react-query';
import { usePlace } from '../session/Guard.tsx';
import { membersQuery } from '../tickets/queries.ts';
import { words } from '../words/words.ts';

const namedMax = 5;

/** Says why a section is closed, and who can help. */
export function ManagersOnly() {
  const { workspace } = usePlace();
  const { data = [] } = useQuery(membersQuery(workspace.id));
  const managers = data.filter(({ role }) => role === 'owner' || role === 'admin').slice(0, namedMax);
  return (
    <>
      <p>{words('settings.managersOnly', { role: words(`role.${workspace.role}`) })}</p>
      {managers.length > 0 && (
        <p>{words('settings.ask', { people: managers.map(({ name, email }) => name ?? email).join(', ') })}</p>
      )}
    </>
  );
}
