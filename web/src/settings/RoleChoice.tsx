import type { ComponentProps } from 'react';
import { usePlace } from '../session/Guard.tsx';
import { Choice, ChoiceField } from '../ui/Choice.tsx';
import { words } from '../words/words.ts';
import { type Role, roles } from './members.ts';

/** The roles that the person may grant. Only owners may grant the role of owner. */
export function useGrantable(): readonly Role[] {
  const { workspace } = usePlace();
  return workspace.role === 'owner' ? roles : roles.filter((role) => role !== 'owner');
}

const useOptions = () => useGrantable().map((role) => [role, words(`role.${role}`)] as const);

type Props = Omit<ComponentProps<typeof Choice<Role>>, 'options'> & { label: string };

export function RoleChoice({ label, ...rest }: Props) {
  return <Choice aria-label={label} options={useOptions()} {...rest} />;
}

/** A field of a form, named `role`. */
export function RoleField() {
  return <ChoiceField label={words('members.role')} name="role" defaultValue="agent" options={useOptions()} />;
}
