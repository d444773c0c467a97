import { useQuery } from '@tanstack/react-query';
import { configQuery } from '../session/queries.ts';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Choices } from '../ui/Choices.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Table } from '../ui/Table.tsx';
import { words } from '../words/words.ts';
import { DesktopSection } from './desktop/DesktopSection.tsx';
import { PushSection } from './desktop/PushSection.tsx';
import { NotificationMailboxes } from './NotificationMailboxes.tsx';
import { type Preferences, useNotificationPreferences } from './notification-preferences.ts';
import { Section } from './Section.tsx';

const ways = ['inApp', 'email'] as const;
const digests = ['off', 'at_once', 'hourly', 'daily'] as const;

/** Whether notifications of a type come by mail, if this person ticks that. */
const canBeMailed = (type: keyof Preferences['types'], { digest, types }: Preferences): boolean =>
  type === 'mailbox' || type === 'team' || (digest !== 'off' && types[type].inApp);

/** Which notifications a person gets, where, and how often by mail. */
export function NotificationSettings() {
  const { preferences, error, refetch, choose, refusal } = useNotificationPreferences();
  const isFile = useQuery(configQuery).data?.mail === 'outbox';
  if (preferences === undefined) return error === null ? null : <Fault error={error} onRetry={() => void refetch()} />;
  // tsc fails if the words lack a type.
  const types = Object.keys(preferences.types) as (keyof Preferences['types'])[];
  return (
    <>
      <Section title={words('preferences.what')}>
        <Table
          label={words('preferences.what')}
          heads={[words('preferences.what'), ...ways.map((way) => words(`preferences.${way}`))]}
          areAllShown
        >
          {types.map((type) => (
            <tr key={type}>
              <th scope="row">{words(`preferences.${type}`)}</th>
              {ways.map((way) => {
                const isOpen = way === 'inApp' || (!isFile && canBeMailed(type, preferences));
                return (
                  <td key={way}>
                    <Checkbox
                      aria-label={`${words(`preferences.${type}`)}: ${words(`preferences.${way}`)}`}
                      checked={isOpen && preferences.types[type][way]}
                      disabled={!isOpen}
                      onChange={({ target: { checked } }) => choose(() => ({ types: { [type]: { [way]: checked } } }))}
                    />
                  </td>
                );
              })}
            </tr>
          ))}
        </Table>
      </Section>
      <NotificationMailboxes types={preferences.types} onChoose={choose} />
      <Section
        title={words('preferences.digest')}
        hint={words(isFile ? 'preferences.noMail' : 'preferences.digestHint')}
      >
        {!isFile && (
          <Choices
            name="digest"
            label={words('preferences.digest')}
            options={digests.map((value) => [value, words(`preferences.digest.${value}`)])}
            value={preferences.digest}
            onChoose={(digest) => choose(() => ({ digest }))}
          />
        )}
      </Section>
      <DesktopSection />
      <PushSection />
      {refusal !== null && <Fault error={refusal} />}
    </>
  );
}
