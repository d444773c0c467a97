import { useState } from 'react';
import { Button, iconButtonLook } from '../src/ui/Button.tsx';
import { Dialog } from '../src/ui/Dialog.tsx';
import { Field } from '../src/ui/Field.tsx';
import { Icon } from '../src/ui/Icon.tsx';
import { MenuButton } from '../src/ui/MenuButton.tsx';
import type { MenuItem } from '../src/ui/MenuItems.tsx';
import { MenuItems } from '../src/ui/MenuItems.tsx';
import panel from '../src/ui/Panel.module.css';
import { PanelButton } from '../src/ui/PanelButton.tsx';
import styles from './Gallery.module.css';
import { arabic, longText, Part } from './Part.tsx';

const run = () => undefined;
const actions: readonly (readonly MenuItem[])[] = [
  [
    { id: 'forward', text: 'Forward', icon: 'forward', detail: 'F', run },
    { id: 'merge', text: 'Merge', icon: 'merge', detail: 'M', isDisabled: true, run },
    { id: 'long', text: longText, icon: 'split', run },
    { id: 'arabic', text: arabic, icon: 'tag', detail: '12', run },
  ],
  [{ id: 'trash', text: 'Move to the trash', icon: 'trash', detail: '#', isDanger: true, run }],
];
const choices: readonly (readonly MenuItem[])[] = [
  [
    { id: 'low', text: 'Low', isChosen: false, run },
    { id: 'normal', text: 'Normal', isChosen: true, run },
    { id: 'high', text: 'High', isChosen: false, run },
  ],
];

export function Overlays({ isDialogOpen }: { isDialogOpen: boolean }) {
  const [isOpen, setIsOpen] = useState(isDialogOpen);
  return (
    <>
      <Part title="MenuButton, MenuItems">
        <MenuButton label="More" items={() => actions} className={iconButtonLook} aria-label="Open the menu">
          <Icon name="more" />
        </MenuButton>
        <div className={`${panel.menu} ${styles.open}`}>
          <MenuItems label="Actions" groups={actions} onClose={run} />
        </div>
        <div className={`${panel.menu} ${styles.open}`}>
          <MenuItems label="Priority" groups={choices} onClose={run} />
        </div>
      </Part>
      <Part title="PanelButton, Dialog">
        <PanelButton label="Rename">{() => <Field label="Name" defaultValue="Repairs" />}</PanelButton>
        <PanelButton label="A chip" isChip>
          {() => <p>{longText}</p>}
        </PanelButton>
        <PanelButton label="A filter" icon="filter">
          {() => <p>Nothing to choose.</p>}
        </PanelButton>
        <Button onClick={() => setIsOpen(true)}>Open the dialog</Button>
      </Part>
      {isOpen && (
        <Dialog title={`Erase ${longText}?`} onClose={() => setIsOpen(false)}>
          <p>Nobody can take this back.</p>
          <Field label="Name of the workspace" />
          <Button look="danger">Erase</Button>
        </Dialog>
      )}
    </>
  );
}
