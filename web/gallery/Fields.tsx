import { useState } from 'react';
import { IconButton } from '../src/ui/Button.tsx';
import { Checkbox } from '../src/ui/Checkbox.tsx';
import { Choice, ChoiceField } from '../src/ui/Choice.tsx';
import { Choices } from '../src/ui/Choices.tsx';
import { Field } from '../src/ui/Field.tsx';
import { FileLabel } from '../src/ui/FileLabel.tsx';
import { Segmented } from '../src/ui/Segmented.tsx';
import { Select } from '../src/ui/Select.tsx';
import styles from './Gallery.module.css';
import { arabic, focused, hovered, longText, longWord, Part } from './Part.tsx';

const orders = [
  ['newest', 'Newest first'],
  ['waiting', 'Longest waiting'],
  ['long', longText],
] as const;
const options = orders.map(([value, text]) => ({ value, text, isDisabled: value === 'waiting' }));
type Order = (typeof orders)[number][0];
const nothing = () => undefined;

export function Fields() {
  const [order, setOrder] = useState<Order>('newest');
  return (
    <>
      <Part title="Field" isWide>
        <Field label="Name" defaultValue="Ines Albrecht" help="Your colleagues see it." />
        <Field label="Hovered" placeholder="name@example.org" {...hovered} />
        <Field label="Focused" defaultValue={arabic} {...focused} />
        <Field label="Read only" defaultValue="https://kontor.example/v1" readOnly />
        <Field label="Disabled" defaultValue="Radwerk" disabled />
        <Field
          label="Password"
          type="password"
          defaultValue="sattel"
          beside={<a href="#forgot">Forgot it?</a>}
          tool={<IconButton icon="eye" aria-label="Show the password" />}
        />
        <Field label={longText} defaultValue={longText} help={longText} />
      </Part>
      <Part title="Choice">
        <Choice aria-label="Order" options={orders.slice(0, 2)} />
        <Choice aria-label="Order, focused" options={orders.slice(0, 2)} {...focused} />
        <Choice aria-label="Order, disabled" options={orders.slice(0, 2)} disabled />
        <div className={styles.narrow}>
          <ChoiceField label="Order" options={orders} defaultValue="long" />
        </div>
      </Part>
      <Part title="Select">
        <Select label="Order" value={order} options={options} onChange={setOrder} />
        <Select label="Order, quiet" value={order} options={options} onChange={setOrder} isQuiet />
        <Select label="Order, disabled" value={order} options={options} onChange={setOrder} disabled />
        <div className={styles.narrow}>
          <Select label="Order, long" value="long" options={options} onChange={nothing} />
        </div>
      </Part>
    </>
  );
}

export function Boxes() {
  const [order, setOrder] = useState<Order>('newest');
  return (
    <>
      <Part title="Checkbox" isWide>
        <Checkbox>Rest</Checkbox>
        <Checkbox defaultChecked>Checked</Checkbox>
        <Checkbox {...focused}>Focused</Checkbox>
        <Checkbox disabled>Disabled</Checkbox>
        <Checkbox disabled defaultChecked>
          Disabled and checked
        </Checkbox>
        <Checkbox isSwitch>A switch</Checkbox>
        <Checkbox isSwitch defaultChecked>
          A switch that is on
        </Checkbox>
        <Checkbox isSwitch disabled>
          A switch, disabled
        </Checkbox>
        <Checkbox>{longText}</Checkbox>
      </Part>
      <Part title="Choices" isWide>
        <Choices name="theme" label="Theme" options={orders} value={order} onChoose={setOrder} />
        <Choices name="bar" label="Bar" options={orders.slice(0, 2)} value="newest" onChoose={nothing} isBar />
        <Segmented label="Long">
          <button type="button" aria-pressed="false">
            Short
          </button>
          <button type="button" aria-pressed="true">
            {longWord}
          </button>
        </Segmented>
      </Part>
      <Part title="FileLabel">
        {(['picture', 'pdf', 'table', 'other', undefined] as const).map((kind) => (
          <span key={String(kind)}>
            <FileLabel name={kind === 'other' ? longWord : 'invoice.pdf'} kind={kind}>
              12 kB
            </FileLabel>
          </span>
        ))}
      </Part>
    </>
  );
}
