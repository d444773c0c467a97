import { Avatar } from '../src/ui/Avatar.tsx';
import { Waits } from '../src/ui/Waits.tsx';
import { Part } from './Part.tsx';

const people = ['Ines Albrecht', 'Tomasz Zieliński', 'Maya Okafor', '山田 花子', 'ليلى حداد', 'x@y.example', ''];
const sizes = [16, 20, 24, 32, 40, 56] as const;
const hues = [...'0123456789'];
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

export function People() {
  return (
    <>
      <Part title="Avatar, customers">
        {people.map((name) => (
          <Avatar key={name} name={name} of={`${name}@example.org`} />
        ))}
        {hues.map((hue) => (
          <Avatar key={hue} name={`Hue ${hue}`} of={hue} />
        ))}
      </Part>
      <Part title="Avatar, team">
        {sizes.map((size) => (
          <Avatar key={size} name="Maya Okafor" of="maya" size={size} isTeam />
        ))}
        {hues.map((hue) => (
          <Avatar key={hue} name={`Hue ${hue}`} of={hue} isTeam />
        ))}
      </Part>
      <Part title="Waits">
        <Waits since={ago(12)} />
        <Waits since={ago(7 * 60)} />
        <Waits since={ago(3 * 24 * 60)} />
        <Waits since={ago(400 * 24 * 60)} />
      </Part>
    </>
  );
}
