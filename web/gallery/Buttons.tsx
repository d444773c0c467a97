import { Action } from '../src/ui/Action.tsx';
import { Button, buttonClass, IconButton } from '../src/ui/Button.tsx';
import { Icon } from '../src/ui/Icon.tsx';
import { icons } from '../src/ui/icons.ts';
import { KeyCap } from '../src/ui/KeyCap.tsx';
import { Segmented } from '../src/ui/Segmented.tsx';
import styles from './Gallery.module.css';
import { focused, hovered, Part } from './Part.tsx';

const looks = ['plain', 'primary', 'tonal', 'quiet', 'danger'] as const;
const never = () => new Promise<never>(() => undefined);
const fails = () => Promise.reject(new Error('no network'));

export function Buttons() {
  return (
    <>
      {looks.map((look) => (
        <Part key={look} title={`Button, ${look}`}>
          <Button look={look}>Save</Button>
          <Button look={look} {...hovered}>
            Hovered
          </Button>
          <Button look={look} {...focused}>
            Focused
          </Button>
          <Button look={look} disabled>
            Disabled
          </Button>
          <Button look={look} size="tool">
            Tool
          </Button>
          <Button look={look} size="large">
            Large
          </Button>
          <Button look={look}>
            <Icon name="check" />
            Close
            <KeyCap keys="e" />
          </Button>
        </Part>
      ))}
    </>
  );
}

export function Tools() {
  return (
    <>
      <Part title="Button, long words">
        <div className={styles.narrow}>
          <Button>Zwei-Faktor-Authentifizierung für alle verlangen</Button>
        </div>
        <a className={buttonClass('plain')} href="#link">
          The order
        </a>
      </Part>
      <Part title="IconButton">
        <IconButton icon="reply" aria-label="Reply" />
        <IconButton icon="forward" aria-label="Forward, hovered" {...hovered} />
        <IconButton icon="more" aria-label="More, focused" {...focused} />
        <IconButton icon="rail" aria-label="Properties, pressed" aria-pressed="true" />
        <IconButton icon="trash" aria-label="Trash, disabled" disabled />
        <IconButton icon="snooze" aria-label="Snooze, larger" size="control" />
      </Part>
      <Part title="Action">
        <Action run={never}>Rest</Action>
        <Action run={never} pending="Saving…" data-press>
          Pending
        </Action>
        <Action run={fails} look="danger" data-press>
          Failed
        </Action>
      </Part>
      <Part title="Segmented">
        <Segmented label="Order">
          <button type="button" aria-pressed="true">
            Newest
          </button>
          <button type="button" aria-pressed="false">
            Waiting
          </button>
          <button type="button" aria-pressed="false" {...focused}>
            Focused
          </button>
        </Segmented>
      </Part>
      <Part title="KeyCap">
        <KeyCap keys="r" />
        <KeyCap keys="$mod+k" />
        <KeyCap keys="Shift+?" />
        <KeyCap keys="Escape" />
      </Part>
      <Part title="Icon">
        {(Object.keys(icons) as (keyof typeof icons)[]).map((name) => (
          <Icon key={name} name={name} />
        ))}
        {([12, 14, 16, 20] as const).map((size) => (
          <Icon key={size} name="inbox" size={size} />
        ))}
      </Part>
    </>
  );
}
