import type { ListParameters } from '../tickets/lists.ts';
import { later } from '../ui/later.tsx';
import { PanelButton } from '../ui/PanelButton.tsx';
import { words } from '../words/words.ts';

type Props = { list: ListParameters; onChange: (list: ListParameters) => void };

const FilterForm = later(() => import('./FilterForm.tsx'), 'FilterForm');

/** The button that opens the filters of a list. */
export function FilterPanel(props: Props) {
  return (
    <PanelButton label={words('filter.open')} icon="filter">
      {(close) => <FilterForm {...props} onClose={close} />}
    </PanelButton>
  );
}
