import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, useDeferredValue, useId, useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { type WordKey, words } from '../words/words.ts';
import styles from './PasswordField.module.css';
import { configQuery } from './queries.ts';

type Props = ComponentProps<'input'> & { label: string };

const loadJudge = () => import('./password-strength.ts');

/** A field for a new password, with a button that shows it and a rating of its strength. */
export function PasswordField({ label, name = 'password', ...rest }: Props) {
  const id = useId();
  const [isShown, setIsShown] = useState(false);
  const [password, setPassword] = useState('');
  const minScore = useQuery(configQuery).data?.passwordMinScore ?? null;
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <div className={styles.box}>
        <input
          id={id}
          name={name}
          type={isShown ? 'text' : 'password'}
          autoComplete="new-password"
          minLength={8}
          maxLength={256}
          required
          {...rest}
          aria-describedby={`${id}-strength`}
          onFocus={() => void loadJudge()}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Button
          look="quiet"
          aria-label={words(isShown ? 'password.hide' : 'password.show')}
          onClick={() => setIsShown(!isShown)}
        >
          {words(isShown ? 'password.hideShort' : 'password.showShort')}
        </Button>
      </div>
      <div id={`${id}-strength`} className={styles.strength}>
        <Strength password={password} minScore={minScore} />
      </div>
    </div>
  );
}

function Strength({ password, minScore }: { password: string; minScore: number | null }) {
  const judged = useDeferredValue(password);
  const judge = useQuery({ queryKey: ['password-judge'], queryFn: loadJudge, enabled: password !== '' }).data;
  if (password.length < 8) return <p>{words('password.hint')}</p>;
  if (judge === undefined) return null;
  const score = judge.strengthOf(judged);
  return (
    <>
      <meter min={0} max={4} low={2} high={3} optimum={4} value={score} aria-hidden="true" />
      <p aria-live="polite">
        {words(`password.strength.${score}` as WordKey)}
        {minScore !== null && score < minScore && ` ${words('password.tooWeak')}`}
      </p>
    </>
  );
}
