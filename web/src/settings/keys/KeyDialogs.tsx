import { useState } from 'react';
import { inWorkspace } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import { SessionForm } from '../../session/SessionForm.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import { CopyText } from '../CopyText.tsx';
import type { Role } from '../members.ts';
import { RoleField } from '../RoleChoice.tsx';
import { SecretOnce } from '../SecretOnce.tsx';
import { KeyTeams, useSeenTeams } from './KeyTeams.tsx';
import { type ApiKey, refreshKeys } from './queries.ts';

const nameMax = 100;

export function NewKey({ onClose }: { onClose: () => void }) {
  const { workspace } = usePlace();
  const [made, setMade] = useState<{ name: string; secret: string }>();
  const seen = useSeenTeams(null);
  const create = async ({ name = '', role = 'agent' }: Record<string, string>) => {
    // The role is one of the field's options.
    const body = { name, role: role as Role, teamIds: seen.teamIds };
    setMade(await inWorkspace(workspace.id).POST('/api-keys', { body }));
    await refreshKeys(workspace.id);
  };
  return (
    <Dialog title={words('keys.new')} onClose={onClose}>
      {made === undefined ? (
        <SessionForm action={words('keys.create')} onSubmit={create}>
          <KeyName />
          <RoleField />
          <KeyTeams {...seen} />
        </SessionForm>
      ) : (
        <SecretOnce
          title={words('keys.made', { name: made.name })}
          label={words('keys.secret')}
          secret={made.secret}
          onDone={onClose}
        >
          <CopyText label={words('keys.workspace')} text={workspace.id} />
        </SecretOnce>
      )}
    </Dialog>
  );
}

export function EditKey({ apiKey: { id, name: before, teamIds }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { workspace } = usePlace();
  const seen = useSeenTeams(teamIds);
  const save = async ({ name = '' }: Record<string, string>) => {
    const body = { name, teamIds: seen.teamIds };
    await inWorkspace(workspace.id).PATCH('/api-keys/{apiKeyId}', { path: { apiKeyId: id }, body });
    await refreshKeys(workspace.id);
    onClose();
  };
  return (
    <Dialog title={words('keys.editNamed', { name: before })} onClose={onClose}>
      <SessionForm action={words('keys.save')} onSubmit={save}>
        <KeyName value={before} />
        <KeyTeams {...seen} />
      </SessionForm>
    </Dialog>
  );
}

function KeyName({ value }: { value?: string }) {
  return (
    <Field
      label={words('keys.name')}
      name="name"
      autoComplete="off"
      autoFocus
      maxLength={nameMax}
      required
      defaultValue={value}
    />
  );
}
