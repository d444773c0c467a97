import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import styles from './ProviderButtons.module.css';
import { beginAt } from './provider-sign-in.ts';
import type { PublicConfig } from './queries.ts';

type Provider = PublicConfig['identityProviders'][number];

const names: Record<string, string> = { google: 'Google', microsoft: 'Microsoft' };

export const providerName = ({ name }: Pick<Provider, 'name'>): string => names[name] ?? name;

/** Buttons to sign in with the identity providers that are set up. */
export function ProviderButtons({ providers }: { providers: PublicConfig['identityProviders'] }) {
  const offered = providers.filter(({ authorizeUrl }) => authorizeUrl !== null);
  if (offered.length === 0) return null;
  return (
    <>
      <div className={styles.providers}>
        {offered.map((provider) => (
          <Button key={provider.provider} size="large" onClick={() => beginAt(provider, 'signIn')}>
            {words('session.with', { provider: providerName(provider) })}
          </Button>
        ))}
      </div>
      <p className={styles.or}>{words('session.or')}</p>
    </>
  );
}
