import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import styles from './ProviderButtons.module.css';
import { beginAt } from './provider-sign-in.ts';
import type { PublicConfig } from './queries.ts';

const names: Record<string, string> = { google: 'Google', microsoft: 'Microsoft' };

/** Buttons to sign in with the identity providers that are set up. */
export function ProviderButtons({ providers }: { providers: PublicConfig['identityProviders'] }) {
  const offered = providers.filter(({ authorizeUrl }) => authorizeUrl !== null);
  if (offered.length === 0) return null;
  return (
    <>
      <div className={styles.providers}>
        {offered.map((provider) => (
          <Button key={provider.provider} onClick={() => beginAt(provider)}>
            {words('session.with', { provider: names[provider.name] ?? provider.name })}
          </Button>
        ))}
      </div>
      <p className={styles.or}>{words('session.or')}</p>
    </>
  );
}
