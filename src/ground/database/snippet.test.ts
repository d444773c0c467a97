import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { snippetOf } from './snippet.ts';
import { sql } from './sql.ts';

const house = useHouse();

const tracking = `https://click.track.test/CL0/${'q'.repeat(300)}`;

test.each([
  [
    `[${tracking}]\n\nView in browser [${tracking}]\n\nYour order has shipped`,
    'View in browser Your order has shipped',
  ],
  [`View in browser ( ${tracking} )\n\nYour order has shipped`, 'View in browser Your order has shipped'],
  [`Hello <${tracking}> Bob`, 'Hello Bob'],
  [`${tracking}\nYour order`, 'https://click.track.test/… Your order'],
  ['See https://shop.test/orders/5 (today)', 'See https://shop.test/orders/5 (today)'],
  ['[cid:image001.png@01D] Dear Bob', 'Dear Bob'],
  ['<https://shop.test/orders/5>', '<https://shop.test/orders/5>'],
  [`${`[${tracking}]\n`.repeat(9)}Hello`, 'Hello'],
  [`Hello [${'https://a.test/'.padEnd(5_000, 'x')}] Bob`, 'Hello'],
  ['Deal\u00a0\u200c\u034f \u200c\u00ad\u200b of the day', 'Deal of the day'],
  ['می\u200cخواهم 👨\u200d👩\u200d👧', 'می\u200cخواهم 👨\u200d👩\u200d👧'],
])('the snippet of %j', async (text, snippet) => {
  expect(await house.app.db.one(sql`select ${snippetOf(sql`${text}::text`)} as snippet`)).toEqual({ snippet });
});
