import { expect } from 'vitest';
import { sql } from '../../../src/ground/database/sql.ts';
import type { House } from '../../harness/harness.ts';
import type { Person } from '../factories.ts';

/** What came back from a page: its status, its headers and its text. */
export type Page = { status: number; headers: Headers; text: string };

/** Whoever follows links: with cookies as a browser, or without as a program. */
export function visitor(
  house: House,
  { keepsCookies = true, headers = {} }: { keepsCookies?: boolean; headers?: Record<string, string> } = {},
) {
  let cookie = '';
  const ask = async (url: string, init: RequestInit = {}): Promise<Page> => {
    const { pathname, search } = new URL(url);
    const answer = await fetch(`${house.url}${pathname}${search}`, {
      ...init,
      headers: { ...headers, ...(init.headers as Record<string, string>), ...(cookie !== '' && { cookie }) },
    });
    if (keepsCookies) cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const send = (url: string, fields: Record<string, string>) =>
    ask(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
  return { open: (url: string) => ask(url), send };
}

/** The hidden fields and the chosen score of a page's form, as a browser would send them. */
export function formOf({ text }: Pick<Page, 'text'>): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [input] of text.matchAll(/<input [^>]*>/g)) {
    const name = /name="(\w+)"/.exec(input)?.[1] ?? '';
    const value = /value="([^"]*)"/.exec(input)?.[1] ?? '';
    if (input.includes('type="hidden"') || input.includes(' checked')) fields[name] = value;
  }
  return fields;
}

/** A workspace whose answers ask their customers. */
export async function openSurveys(house: House, owner: Person) {
  const done = async (method: string, path: string, body?: object) => {
    const { status, body: answer } = await owner.call(method, path, body);
    expect({ status: status < 300, answer }).toMatchObject({ status: true });
    return answer;
  };
  let count = 0;
  return {
    done,
    make: (input: object = {}) =>
      done('POST', '/surveys', {
        ask: 'in_answer',
        scale: 'five',
        language: 'en',
        everyDays: 0,
        isActive: true,
        ...input,
      }),
    /** Answers a customer. @returns the ticket, the mail, and the addresses in it: the scores from 1, and the trap */
    answer: async (input: { email?: string; ticketId?: string; body?: object } = {}) => {
      const { email = `customer${++count}@example.org` } = input;
      const ticket = { subject: `Question ${count}`, body: 'b', requester: { email } };
      const ticketId = input.ticketId ?? (await done('POST', '/tickets', ticket)).id;
      const before = (await house.outbox()).length;
      await done('POST', `/tickets/${ticketId}/messages`, { body: 'An answer', sendEmail: true, ...input.body });
      await house.drain();
      const mail = (await house.outbox()).slice(before).at(-1) ?? '';
      return { ticketId, mail, ...linksIn(mail) };
    },
    answers: async (query = ''): Promise<any[]> => (await done('GET', `/survey-answers${query}`)).items,
    /** Lets days pass for what was asked and answered. */
    age: (days: number) =>
      house.app.db.tx((tx) =>
        tx.run(sql`
          update survey_asks
          set asked_at = asked_at - make_interval(days => ${days}),
            expires_at = expires_at - make_interval(days => ${days}),
            answered_at = answered_at - make_interval(days => ${days}),
            changed_at = changed_at - make_interval(days => ${days})
          where workspace_id = ${owner.workspaceId}`),
      ),
    rows: () =>
      house.app.db.rows<{ score: number | null; doubt: string | null }>(sql`
        select score, doubt from survey_asks where workspace_id = ${owner.workspaceId} order by id`),
  };
}

/** The addresses of pages in a raw mail. */
export function linksIn(mail: string): { scores: string[]; trap: string | undefined } {
  const plain = mail.replace(/=\r?\n/g, '').replaceAll('=3D', '=');
  const found = [
    ...new Set([...plain.matchAll(/https?:\/\/[^\s"<>]+\/s\/[\w-]+(?:\?score=\d)?/g)].map(([url]) => url)),
  ];
  const scores = found
    .filter((url) => url.includes('?score='))
    .sort((one, other) => one.at(-1)!.localeCompare(other.at(-1)!));
  return { scores, trap: found.find((url) => !url.includes('?score=')) };
}
