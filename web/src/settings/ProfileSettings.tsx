import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryClient } from '../api/cache.ts';
import { api, dataOf } from '../api/client.ts';
import { browserTimeZone } from '../lib/dates.ts';
import { usePreferences } from '../lib/preferences.ts';
import { choosePreferences } from '../session/preferences.ts';
import { meQuery } from '../session/queries.ts';
import { SessionForm } from '../session/SessionForm.tsx';
import { Field } from '../ui/Field.tsx';
import { languageOf, languages, words } from '../words/words.ts';
import { OwnPassword } from './OwnPassword.tsx';
import { ownPasswordIn } from './own-password.ts';
import { Section } from './Section.tsx';
import { SignatureSection } from './SignatureSection.tsx';

const nameMax = 100;

/** A person's name, signature, address, language and time zone. */
export function ProfileSettings() {
  return (
    <>
      <NameSection />
      <SignatureSection />
      <AddressSection />
      <LanguageSection />
      <TimeZoneSection />
    </>
  );
}

function NameSection() {
  const { data } = useQuery(meQuery);
  const [isSaved, setIsSaved] = useState(false);
  const save = async ({ name = '' }: Record<string, string>) => {
    queryClient.setQueryData(meQuery.queryKey, await dataOf(api.PATCH('/v1/me', { body: { name } })));
    setIsSaved(true);
  };
  if (data === undefined) return null;
  return (
    <Section title={words('profile.name')} hint={words('profile.nameHint')}>
      {isSaved && <p role="status">{words('profile.nameSaved')}</p>}
      <SessionForm action={words('profile.saveName')} onSubmit={save}>
        <Field
          label={words('session.name')}
          name="name"
          autoComplete="name"
          maxLength={nameMax}
          defaultValue={data.user.name ?? ''}
        />
      </SessionForm>
    </Section>
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

function LanguageSection() {
  const { locale } = usePreferences();
  return (
    <Section title={words('profile.language')} hint={words('profile.languageHint')}>
      <select
        aria-label={words('profile.language')}
        // The API takes any locale. One of a region counts as its language here.
        value={languageOf(locale ?? '') ?? ''}
        onChange={({ target }) => void choosePreferences({ locale: target.value === '' ? null : target.value })}
      >
        <option value="">{words('profile.language.system')}</option>
        {languages.map((language) => (
          <option key={language} value={language} lang={language}>
            {words(`profile.language.${language}`)}
          </option>
        ))}
      </select>
    </Section>
  );
}

function TimeZoneSection() {
  const { timeZone } = usePreferences();
  return (
    <Section title={words('profile.timeZone')} hint={words('profile.timeZoneHint')}>
      <select
        aria-label={words('profile.timeZone')}
        value={timeZone ?? ''}
        onChange={({ target }) => void choosePreferences({ timeZone: target.value === '' ? null : target.value })}
      >
        <option value="">{words('profile.timeZoneOfBrowser', { timeZone: browserTimeZone() })}</option>
        {zonesWith(timeZone).map((zone) => (
          <option key={zone} value={zone}>
            {zone.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
    </Section>
  );
}

/** All time zones that this browser knows, and the chosen zone if only another browser knows it. */
function zonesWith(chosen: string | null): string[] {
  const known = Intl.supportedValuesOf('timeZone');
  return chosen === null || known.includes(chosen) ? known : [chosen, ...known];
}
