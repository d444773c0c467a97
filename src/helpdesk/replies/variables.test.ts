import { escapeHtml } from '@kontor/mail/html/html-text.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sanitizeHtml } from '../../ground/lib/html/sanitize.ts';
import { firstNameOf } from './first-name.ts';
import { renderReply } from './render.ts';
import { fillHtml, fillText, placeholdersIn, type VariableValues, variableNames } from './variables.ts';

const none = Object.fromEntries(variableNames.map((name) => [name, { missing: 'no_name' }])) as VariableValues;
const values: VariableValues = {
  ...none,
  'contact.firstName': { value: 'Ann' },
  'contact.name': { value: 'Ann <Smith> & "Co"' },
  'ticket.number': { value: '42' },
};

test('every occurrence of a variable is filled, whatever the space around it', () => {
  const { text, missing } = fillText('{{contact.firstName}} {{ contact.firstName }} {{\u00a0ticket.number }}', values);
  expect([text, missing]).toEqual(['Ann Ann 42', []]);
});

test('a default stands in for a missing value, in quotes of any kind', () => {
  for (const quoted of ['"there"', "'there'", '“there”', '„there“', '&quot;there&quot;'])
    expect(fillText(`Hi {{ contact.firstName | default: ${quoted} }}`, none)).toEqual({
      text: 'Hi there',
      missing: [],
    });
  expect(fillText('Hi {{ contact.firstName | default: "there" }}', values).text).toBe('Hi Ann');
  expect(fillText('{{ contact.firstName | default: "" }}!', none).text).toBe('!');
});

test('a variable without a value stays and is listed once, with the reason', () => {
  const { text, missing } = fillText('{{ agent.name }}, {{agent.name}}', none);
  expect([text, missing]).toEqual([
    '{{ agent.name }}, {{agent.name}}',
    [{ variable: 'agent.name', reason: 'no_name' }],
  ]);
});

test('other braces are text; misspelt variables are found', () => {
  const text = '{{ two words }} {{ contact.phone }} {{#each}} {{ 1 }} {{}} {{ > part }} { contact.name }';
  expect(fillText(text, values).text).toBe(text);
  expect(placeholdersIn(text).unknown).toEqual(['contact.phone']);
  const misspelt = [
    'contact.first_name',
    'Contact.firstName',
    'contact.firstName | default: there',
    'contact.firstName | Default: "there"',
    'ticket.number1',
    'contact',
    // Of other programs.
    'requester.name',
    'customer.first_name',
    'ticket.requester.first_name',
    'name',
    'user-name | upcase',
  ];
  for (const inside of misspelt) expect(placeholdersIn(`Dear {{ ${inside} }}`).unknown).toEqual([inside]);
  const { unknown } = placeholdersIn('{{ <b>agent</b>.phone }} {{ <i>agents</i> }} {{ agent.name }}');
  expect(unknown).toEqual(['agent.phone', 'agents']);
});

test('a name is text: it acts neither as HTML nor as a variable, and stays on one line', () => {
  expect(fillHtml('<p>{{ contact.name }}</p>', values).text).toBe('<p>Ann &lt;Smith&gt; &amp; "Co"</p>');
  const hostile = { ...values, 'contact.name': { value: '{{ agent.email }}\n\u202e<b>x' } } satisfies VariableValues;
  const { text } = fillText('{{ contact.name }}', hostile);
  expect(placeholdersIn(text).count).toBe(0);
  expect(text).toBe('{ { agent.email }} <b>x');
  const long = { ...values, 'contact.name': { value: 'x'.repeat(10_000) } } satisfies VariableValues;
  expect(fillText('{{ contact.name }}', long).text).toHaveLength(200);
});

test('a value inside an attribute cannot add attributes or scripts', () => {
  const evil = { ...values, 'contact.name': { value: '" onerror="alert(1)' } } satisfies VariableValues;
  const html = '<a href="https://example.org/?q={{ contact.name }}">x</a><img src="{{ contact.name }}">';
  const { bodyHtml } = renderReply({ subject: null, body: '', bodyHtml: html }, evil);
  expect(bodyHtml.replace(/"[^"]*"/g, '')).not.toMatch(/onerror/);
  expect(bodyHtml).toContain('<img />');
});

test('filling safe HTML gives what the sanitizer makes of it', () => {
  const place = '{{ contact.name | default: "a &amp; b" }}';
  const part = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('<p>', '</p>', `<b>${place}</b>`, place, '<img align="left" src="cid:x">', '{{ticket.number}}'),
    fc.constantFrom('<a href="https://a.example/?b={{ contact.name }}">', '</a>', `<i title='${place}'>`, '</i>', '"'),
    fc.constantFrom('<a href="mailto:{{ contact.firstName }}@a.example">', '<img src="https://{{ contact.name }}/c">'),
  );
  const stored = fc
    .array(part, { maxLength: 20 })
    .map((parts) => sanitizeHtml(parts.join('')))
    .filter((html) => sanitizeHtml(html) === html);
  fc.assert(
    fc.property(stored, fc.string({ unit: 'grapheme' }), (html, name) => {
      for (const value of [name, '" onerror="alert(1)', '<b>x', '&lt;', "' style='float:left'", 'javascript:x'])
        for (const given of [{ value }, { missing: 'no_name' as const }]) {
          const filled = { ...values, 'contact.name': given };
          expect(fillHtml(html, filled).text).toBe(parsedAgain(html, filled));
        }
    }),
    { numRuns: 50 },
  );
});

/** Fills everything as if it stood in an attribute, and parses the whole. */
function parsedAgain(html: string, filled: VariableValues): string {
  const { text } = fillText('{{ contact.name }}', filled);
  const escaped = fillText(html, { ...filled, 'contact.name': { value: 'MARK' } }).text;
  const isMissing = 'missing' in filled['contact.name'];
  return sanitizeHtml(isMissing ? fillText(html, filled).text : escaped.replaceAll('MARK', () => escapeHtml(text)));
}

test('rendering never throws and stays within a megabyte', () => {
  const part = fc.oneof(fc.string(), fc.constantFrom('{{ contact.name }}', '{{', '}}', '<', '&quot;', '| default: "'));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), fc.string(), (parts, name) => {
      const filled = { ...values, 'contact.name': { value: name } } satisfies VariableValues;
      for (const bodyHtml of [null, parts.join('')]) {
        const { body, bodyHtml: html } = renderReply({ subject: null, body: parts.join(''), bodyHtml }, filled);
        expect(body.length + html.length).toBeLessThan(1_000_000);
      }
    }),
  );
});

test('the first name is that of a person', () => {
  const names: [string | null, string | undefined][] = [
    ['Ann Smith', 'Ann'],
    ['Smith, John', 'John'],
    ['  Dr. Eva  Braun ', 'Eva'],
    ['Żółć', 'Żółć'],
    ['ann@example.org', undefined],
    ['Acme Support', undefined],
    ['Billing', undefined],
    ['Example GmbH', undefined],
    ['', undefined],
    [null, undefined],
    ['42', undefined],
  ];
  for (const [name, first] of names) expect([name, firstNameOf(name)]).toEqual([name, first]);
});
