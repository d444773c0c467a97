import { Buttons, Tools } from './Buttons.tsx';
import { Boxes, Fields } from './Fields.tsx';
import styles from './Gallery.module.css';
import { Lists } from './Lists.tsx';
import { Messages } from './Messages.tsx';
import { Overlays } from './Overlays.tsx';
import { People } from './People.tsx';

/** Every component of `src/ui` in its states. */
export function GalleryPage({ isDialogOpen }: { isDialogOpen: boolean }) {
  return (
    <main className={styles.page}>
      <h1>Components</h1>
      <div className={styles.parts}>
        <Buttons />
        <People />
        <Tools />
        <Fields />
        <Boxes />
        <Overlays isDialogOpen={isDialogOpen} />
        <Messages />
        <Lists />
      </div>
    </main>
  );
}
