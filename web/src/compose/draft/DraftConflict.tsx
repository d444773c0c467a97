import { Button } from '../../ui/Button.tsx';
import { words } from '../../words/words.ts';
import styles from './DraftConflict.module.css';
import type { DraftContent, DraftSnapshot } from './draft-content.ts';
import type { DraftKeeper } from './draft-keeper.ts';

type Props = { draft: DraftSnapshot; keeper: DraftKeeper };

/** Shows two texts of one draft. The writer chooses, and neither text is lost before. */
export function DraftConflict({ draft: { content, other }, keeper }: Props) {
  return (
    <div className={styles.conflict} role="alert">
      <p>{words(other === null ? 'draft.gone' : 'draft.conflict')}</p>
      <div className={styles.texts}>
        <Text heading={words('draft.mine')} content={content} onTake={() => keeper.resolve('mine')} />
        {other !== null && (
          <Text heading={words('draft.other')} content={other} onTake={() => keeper.resolve('other')} />
        )}
        {other === null && <Button onClick={() => keeper.resolve('other')}>{words('draft.discard')}</Button>}
      </div>
      {other !== null && <Button onClick={() => keeper.resolve('both')}>{words('draft.takeBoth')}</Button>}
    </div>
  );
}

function Text({ heading, content, onTake }: { heading: string; content: DraftContent; onTake: () => void }) {
  return (
    <section>
      <h3>{heading}</h3>
      <p className={styles.text} dir="auto">
        {content.body}
      </p>
      <Button onClick={onTake}>{words('draft.take')}</Button>
    </section>
  );
}
