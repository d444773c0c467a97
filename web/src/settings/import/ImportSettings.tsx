import { useQuery } from '@tanstack/react-query';
import { usePlace } from '../../session/Guard.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { ImportForm } from './ImportForm.tsx';
import { ImportLine } from './ImportLine.tsx';
import { importsQuery, isUnderWay } from './imports.ts';

/** Owners and admins drop old mail here, and see what became of it. */
export function ImportSettings() {
  const { workspace } = usePlace();
  const source = useQuery(importsQuery(workspace.id));
  return (
    <>
      <Section title={words('import.new')}>
        <ImportForm isBusy={(source.data ?? []).some(isUnderWay)} />
      </Section>
      <Section title={words('import.list')} hint={words('import.listHint')}>
        <PagedList label={words('import.list')} source={source} none={words('import.none')}>
          {(one) => <ImportLine key={one.id} mailImport={one} />}
        </PagedList>
      </Section>
    </>
  );
}
