import { usePlace } from '../session/Guard.tsx';
import { words } from '../words/words.ts';
import { type Role, roles } from './members.ts';

/** The roles that the person may grant. Only owners may grant the role of owner. */
export function useGrantable(): readonly Role[] {
  const { workspace } = usePlace();
  return workspace.role === 'owner' ? roles : roles.filter((role) => role !== 'owner');
}

type Props = { label: string; value: Role; isDisabled?: boolean; onChoose: (role: Role) => void };

export function RoleChoice({ label, value, isDisabled = false, onChoose }: Props) {
  return (
    <select
      aria-label={label}
      value={value}
      disabled={isDisabled}
      onChange={({ target }) => onChoose(target.value as Role)} // one of the options below
    >
      <RoleOptions />
    </select>
  );
}

/** A field of a form, named `role`. */
export function RoleField() {
  return (
    <label>
      {words('members.role')}{' '}
      <select name="role" defaultValue="agent">
        <RoleOptions />
      </select>
    </label>
  );
}

function RoleOptions() {
  return useGrantable().map((role) => (
    <option key={role} value={role}>
      {words(`role.${role}`)}
    </option>
  ));
}
