import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, useDeferredValue, useState } from 'react';
import { IconButton } from '../ui/Button.tsx';
import { Field } from '../ui/Field.tsx';
import { type WordKey, words } from '../words/words.ts';
import styles from './PasswordField.module.css';
import { configQuery } from './queries.ts';

type Props = ComponentProps<typeof Field>;

const loadJudge = () => import('./password-strength.ts');

/** A field for a new password, with a button that shows it and a rating of its strength. */
export function PasswordField({ name = 'password', ...rest }: Props) {
  const [password, setPassword] = useState('');
  const minScore = useQuery(configQuery).data?.passwordMinScore ?? null;
  return (
    <ShownPassword
      name={name}
      autoComplete="new-password"
      minLength={8}
      maxLength={256}
      required
      {...rest}
      help={
        <div className={styles.strength}>
          <Strength password={password} minScore={minScore} />
        </div>
      }
      onFocus={() => void loadJudge()}
      onChange={(event) => setPassword(event.target.value)}
    />
  );
}

/** A password with a button that shows it. */
export function ShownPassword(field: Props) {
  const [isShown, setIsShown] = useState(false);
  return (
    <Field
      {...field}
      type={isShown ? 'text' : 'password'}
      tool={
        <IconButton
          icon={isShown ? 'eyeOff' : 'eye'}
          aria-label={words(isShown ? 'password.hide' : 'password.show')}
          onClick={() => setIsShown(!isShown)}
        />
      }
    />
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
