import { useQuery } from '@tanstack/react-query';
import { usePlace } from '../../session/Guard.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { ImportForm } from './ImportForm.tsx';
import { ImportLine } from './ImportLine.tsx';
import { importsQuery, isUnderWay } from './imports.ts';

/** Owners and admins drop old mail here, and see what became of it. */
export function ImportSettings() {
  const { workspace } = usePlace();
  const { data, error, isPending, refetch } = useQuery(importsQuery(workspace.id));
  const imports = data ?? [];
  return (
    <>
      <Section title={words('import.new')} hint={words('import.hint')}>
        <ImportForm isBusy={imports.some(isUnderWay)} />
      </Section>
      <Section title={words('import.list')} hint={words('import.listHint')}>
        {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
        {imports.length === 0 && error === null && <p>{words(isPending ? 'loading' : 'import.none')}</p>}
        <ul aria-label={words('import.list')}>
          {imports.map((one) => (
            <ImportLine key={one.id} mailImport={one} />
          ))}
        </ul>
      </Section>
    </>
  );
}
