import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryClient } from '../api/cache.ts';
import { api, dataOf } from '../api/client.ts';
import { browserTimeZone } from '../lib/dates.ts';
import { usePreferences } from '../lib/preferences.ts';
import { choosePreferences } from '../session/preferences.ts';
import { meQuery } from '../session/queries.ts';
import { SessionForm } from '../session/SessionForm.tsx';
import type { Fields } from '../session/use-fields.ts';
import { Choice } from '../ui/Choice.tsx';
import { Field } from '../ui/Field.tsx';
import { languageOf, languages, words } from '../words/words.ts';
import { OwnPassword } from './OwnPassword.tsx';
import { ownPasswordIn } from './own-password.ts';
import { Row, Section } from './Section.tsx';
import { SettingsForm } from './SettingsForm.tsx';
import { SignatureSection } from './SignatureSection.tsx';

const nameMax = 100;

/** A person's name, signature, address, language and time zone. */
export function ProfileSettings() {
  return (
    <>
      <NameForm />
      <RegionSection />
      <AddressSection />
      <SignatureSection />
    </>
  );
}

function NameForm() {
  const { data } = useQuery(meQuery);
  if (data === undefined) return null;
  const save = async ({ name = '' }: Fields) =>
    queryClient.setQueryData(meQuery.queryKey, await dataOf(api.PATCH('/v1/me', { body: { name } })));
  return (
    <SettingsForm onSave={save}>
      <Section title={words('settings.profile')}>
        <Field
          label={words('session.name')}
          help={words('profile.nameHint')}
          name="name"
          autoComplete="name"
          maxLength={nameMax}
          defaultValue={data.user.name ?? ''}
        />
      </Section>
    </SettingsForm>
  );
}

/** The address changes once the person has followed a link that is mailed to the new address. */
function AddressSection() {
  const { data } = useQuery(meQuery);
  const [asked, setAsked] = useState<string>();
  const ask = async ({ email = '', ...form }: Record<string, string>) => {
    await dataOf(api.POST('/v1/me/email', { body: { email, ...ownPasswordIn(form) } }));
    setAsked(email);
  };
  if (data === undefined) return null;
  return (
    <Section title={words('session.email')} hint={words('profile.emailHint', { email: data.user.email })}>
      {asked !== undefined && <p role="status">{words('profile.emailAsked', { email: asked })}</p>}
      <SessionForm key={asked} action={words('profile.changeEmail')} onSubmit={ask}>
        <Field label={words('profile.newEmail')} name="email" type="email" autoComplete="off" required />
        <OwnPassword />
      </SessionForm>
    </Section>
  );
}

function RegionSection() {
  const { locale, timeZone } = usePreferences();
  return (
    <Section title={words('profile.region')}>
      <Row title={words('profile.language')} help={words('profile.languageHint')}>
        <Choice
          aria-label={words('profile.language')}
          // The API takes any locale. One of a region counts as its language here.
          value={languageOf(locale ?? '') ?? ''}
          options={[
            ['', words('profile.language.system')],
            ...languages.map((language) => [language, words(`profile.language.${language}`)] as const),
          ]}
          onChoose={(chosen) => void choosePreferences({ locale: chosen || null })}
        />
      </Row>
      <Row title={words('profile.timeZone')} help={words('profile.timeZoneHint')}>
        <Choice
          aria-label={words('profile.timeZone')}
          value={timeZone ?? ''}
          options={[
            ['', words('profile.timeZoneOfBrowser', { timeZone: browserTimeZone() })],
            ...zonesWith(timeZone).map((zone) => [zone, zone.replaceAll('_', ' ')] as const),
          ]}
          onChoose={(zone) => void choosePreferences({ timeZone: zone || null })}
        />
      </Row>
    </Section>
  );
}

/** All time zones that this browser knows, and the chosen zone if only another browser knows it. */
function zonesWith(chosen: string | null): string[] {
  const known = Intl.supportedValuesOf('timeZone');
  return chosen === null || known.includes(chosen) ? known : [chosen, ...known];
}
