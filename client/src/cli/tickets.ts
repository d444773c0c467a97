import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { components, KontorClient } from '../index.ts';
import { readInput } from './ask.ts';
import { UsageError } from './faults.ts';
import { mailboxNamed, tellOfFile } from './mail.ts';
import { memberNamed, namesOf } from './members.ts';
import { typed } from './program.ts';
import { type Command, openClient, parse, type Run } from './run.ts';
import { showTicket, ticketLine } from './show-ticket.ts';

type Ticket = components['schemas']['Ticket'];
type Status = Ticket['status'];
const ticketPath = '/v1/workspaces/{workspaceId}/tickets/{ticketId}';

const listOptions = {
  status: { type: 'string', multiple: true },
  assignee: { type: 'string', multiple: true },
  tag: { type: 'string', multiple: true },
  search: { type: 'string' },
  limit: { type: 'string' },
  all: { type: 'boolean' },
} as const;

const list: Command = {
  usage: typed(
    'tickets list [--status open|pending|closed]… [--assignee me|none|<e-mail>]… [--tag <tag>]… ' +
      '[--search <words>] [--limit 50 | --all]',
  ),
  about: 'List tickets, the newest activity first.',
  run: async (run, parameters) => {
    const { values } = parse(parameters, listOptions, list.usage);
    const kontor = await openClient(run);
    const max = values.all ? Number.POSITIVE_INFINITY : wholeNumber(values.limit ?? '50');
    const query = await listQuery(kontor, values);
    const names = run.output.isJson ? new Map<string, string>() : await namesOf(kontor, run.signal);
    const params = { query: { ...query, limit: Math.min(max, 100), count: false } };
    let seen = 0;
    for await (const ticket of kontor.pages('/v1/workspaces/{workspaceId}/tickets', { params, signal: run.signal })) {
      if (run.output.isJson) run.output.json(ticket);
      else run.output.line(...ticketLine(ticket, names));
      if (++seen >= max) return;
    }
    if (seen === 0) run.output.note('There are no such tickets.');
  },
};

type ListValues = { status?: string[]; assignee?: string[]; tag?: string[]; search?: string };

/** The parameters of a list, as the options of `list` and of `export` name them. */
export async function listQuery(kontor: KontorClient, { status, assignee, tag, search }: ListValues) {
  // The list itself knows `me` and `none`.
  const idOf = async (who: string) =>
    who === 'me' || who === 'none' ? who : ((await memberNamed(kontor, who)) ?? who);
  const named = await Promise.all((assignee ?? []).map(idOf));
  return {
    // The service checks the words.
    ...(status && { status: status as Status[] }),
    ...(named.length > 0 && { assignee: named }),
    ...(tag && { tags: tag }),
    ...(search !== undefined && { search }),
  };
}

const show: Command = {
  usage: typed('tickets show <number>'),
  about: 'Show a ticket with its messages.',
  run: async (run, parameters) => {
    const { positionals } = parse(parameters, {}, show.usage);
    const kontor = await openClient(run);
    for (const number of numbersIn(positionals, show.usage)) {
      const ticket = await readTicket(kontor, number, run.signal);
      if (run.output.isJson) run.output.json(ticket);
      else showTicket(run.output, ticket, await namesOf(kontor, run.signal));
    }
  },
};

const createOptions = {
  subject: { type: 'string', short: 's' },
  requester: { type: 'string', short: 'r' },
  tag: { type: 'string', multiple: true },
  priority: { type: 'string' },
  assignee: { type: 'string' },
  attach: { type: 'string', multiple: true },
  mail: { type: 'boolean' },
  mailbox: { type: 'string' },
  from: { type: 'string' },
} as const;

const create: Command = {
  usage: typed(
    'tickets create --subject <subject> [--requester "Name <e-mail>"] [--tag <tag>]… [--priority <priority>] ' +
      '[--assignee me|<e-mail>] [--attach <file>]… [--mail] [--mailbox <e-mail>|none] [--from <e-mail>] [<text>]',
  ),
  about:
    'Open a ticket. --mail sends the text to the requester; without it, the text is what the requester wrote. ' +
    '--mailbox chooses from where the ticket sends, and --from one of the addresses of that mailbox.',
  run: async (run, parameters) => {
    const { values, positionals } = parse(parameters, createOptions, create.usage);
    const { subject, requester, tag, priority, assignee, attach = [], mail, mailbox, from } = values;
    if (subject === undefined) throw new UsageError(`The ticket needs a --subject.\nusage: ${create.usage}`);
    const writer = requester === undefined ? undefined : addressIn(requester);
    if (mail && writer === undefined) throw new UsageError('--mail needs a --requester.');
    const kontor = await openClient(run);
    const mailboxId = mailbox === undefined ? undefined : await mailboxNamed(kontor, mailbox, run.signal);
    const body = await textOf(positionals, create.usage);
    const attachmentIds = await uploadAll(kontor, attach, run.signal);
    const assigneeId = assignee === undefined ? undefined : await memberNamed(kontor, assignee);
    const ticket = await kontor.post('/v1/workspaces/{workspaceId}/tickets', {
      body: {
        subject,
        body,
        ...(writer && { requester: writer }),
        ...(tag && { tags: tag }),
        ...(priority !== undefined && { priority }),
        ...(assigneeId && { assigneeId }),
        ...(attachmentIds.length > 0 && { attachmentIds }),
        ...(mailboxId !== undefined && { mailboxId }),
        ...(from !== undefined && { fromAddress: from }),
        ...(mail && writer && { sendEmail: true, toAddresses: [writer.email] }),
      },
      signal: run.signal,
    });
    if (run.output.isJson) run.output.json(ticket);
    else run.output.line(`Opened ticket #${ticket.ticketNumber}.`);
    if (mail) await tellOfFile(kontor, ticket.mailboxId, run);
  },
};

const messageOptions = {
  close: { type: 'boolean' },
  at: { type: 'string' },
  attach: { type: 'string', multiple: true },
  from: { type: 'string' },
} as const;

function messageCommand(name: 'answer' | 'note', about: string, done: string): Command {
  const ofMail = name === 'answer' ? ' [--at <time>] [--from <e-mail>]' : '';
  const usage = typed(`tickets ${name} <number> [--close] [--attach <file>]…${ofMail} [<text>]`);
  return {
    usage,
    about,
    run: async (run, parameters) => {
      const { values, positionals } = parse(parameters, messageOptions, usage);
      const [number = 0] = numbersIn(positionals.slice(0, 1), usage);
      const sendAt = values.at === undefined ? undefined : timeOf(values.at, ofMail, usage);
      const kontor = await openClient(run);
      const { id: ticketId, mailboxId } = await readTicket(kontor, number, run.signal);
      const body = await textOf(positionals.slice(1), usage);
      const attachmentIds = await uploadAll(kontor, values.attach ?? [], run.signal);
      const message = await kontor.post(`${ticketPath}/messages`, {
        params: { path: { ticketId } },
        body: {
          body,
          ...(name === 'note' ? { isInternal: true } : { sendEmail: true }),
          ...(sendAt && { sendAt }),
          ...(values.close && { thenStatus: 'closed' as const }),
          ...(values.from !== undefined && { fromAddress: values.from }),
          ...(attachmentIds.length > 0 && { attachmentIds }),
        },
        signal: run.signal,
      });
      if (run.output.isJson) run.output.json(message);
      else if (sendAt) run.output.line(`The answer to ticket #${number} leaves at ${sendAt}.`);
      else run.output.line(`${done} ticket #${number}.`);
      if (name === 'answer' && sendAt === undefined) await tellOfFile(kontor, mailboxId, run);
    },
  };
}

/** A time of this machine, or with its offset. */
function timeOf(text: string, isTaken: string, usage: string): string {
  const at = new Date(text);
  if (isTaken !== '' && !Number.isNaN(at.getTime())) return at.toISOString();
  throw new UsageError(`--at takes the time of an answer, such as "2027-01-04 08:00".\nusage: ${usage}`);
}

function statusCommand(name: string, toStatus: Status, about: string): Command {
  const usage = typed(`tickets ${name} <number>… [--reason <text>]`);
  return {
    usage,
    about,
    run: async (run, parameters) => {
      const { values, positionals } = parse(parameters, { reason: { type: 'string' } } as const, usage);
      const body = { toStatus, ...(values.reason !== undefined && { reason: values.reason }) };
      await changeEach(run, numbersIn(positionals, usage), (kontor, ticketId) =>
        kontor.post(`${ticketPath}/status`, { params: { path: { ticketId } }, body, signal: run.signal }),
      );
    },
  };
}

const assign: Command = {
  usage: typed('tickets assign <number>… --to me|none|<e-mail>'),
  about: 'Assign tickets to a colleague.',
  run: async (run, parameters) => {
    const { values, positionals } = parse(parameters, { to: { type: 'string' } } as const, assign.usage);
    const { to } = values;
    if (to === undefined) throw new UsageError(`Say to whom, with --to.\nusage: ${assign.usage}`);
    const assigneeId = await memberNamed(await openClient(run), to);
    await changeEach(run, numbersIn(positionals, assign.usage), (kontor, ticketId) =>
      kontor.patch(ticketPath, { params: { path: { ticketId } }, body: { assigneeId }, signal: run.signal }),
    );
  },
};

const tag: Command = {
  usage: typed('tickets tag <number>… [--add <tag>]… [--remove <tag>]…'),
  about: 'Add tags to tickets, and remove them.',
  run: async (run, parameters) => {
    const options = { add: { type: 'string', multiple: true }, remove: { type: 'string', multiple: true } } as const;
    const { values, positionals } = parse(parameters, options, tag.usage);
    const { add, remove } = values;
    if (add === undefined && remove === undefined) throw new UsageError(`usage: ${tag.usage}`);
    await changeEach(run, numbersIn(positionals, tag.usage), async (kontor, id) => {
      const body = { ids: [id], ...(add && { addTags: add }), ...(remove && { removeTags: remove }) };
      await kontor.post('/v1/workspaces/{workspaceId}/tickets/bulk', { body, signal: run.signal });
      return kontor.get(ticketPath, { params: { path: { ticketId: id } }, signal: run.signal });
    });
  },
};

export const ticketCommands: Record<string, Command> = {
  list,
  show,
  create,
  answer: messageCommand('answer', 'Answer by mail to all who would get a reply to all.', 'Answered'),
  note: messageCommand('note', 'Add a note that no customer sees.', 'Added a note to'),
  close: statusCommand('close', 'closed', 'Close tickets.'),
  reopen: statusCommand('reopen', 'open', 'Open tickets again.'),
  wait: statusCommand('wait', 'pending', 'Mark tickets as pending.'),
  assign,
  tag,
};

type Change = (kontor: KontorClient, ticketId: string) => Promise<Ticket>;

async function changeEach(run: Run, numbers: number[], change: Change): Promise<void> {
  const kontor = await openClient(run);
  const names = run.output.isJson ? new Map<string, string>() : await namesOf(kontor, run.signal);
  for (const number of numbers) {
    const { id } = await readTicket(kontor, number, run.signal);
    const ticket = await change(kontor, id);
    if (run.output.isJson) run.output.json(ticket);
    else run.output.line(...ticketLine(ticket, names));
  }
}

function readTicket(kontor: KontorClient, ticketNumber: number, signal: AbortSignal) {
  const params = { path: { ticketNumber: String(ticketNumber) } };
  return kontor.get('/v1/workspaces/{workspaceId}/tickets/number/{ticketNumber}', { params, signal });
}

function numbersIn(words: string[], usage: string): number[] {
  if (words.length === 0) throw new UsageError(`Name the number of the ticket.\nusage: ${usage}`);
  return words.map((word) => wholeNumber(word.replace(/^#/, '')));
}

function wholeNumber(word: string): number {
  if (!/^[1-9]\d{0,14}$/.test(word)) throw new UsageError(`"${word}" is no whole number above zero.`);
  return Number(word);
}

/** The text of the last word, or of the pipe. */
async function textOf(words: string[], usage: string): Promise<string> {
  if (words.length > 1) throw new UsageError(`Put the text in quotes.\nusage: ${usage}`);
  const [word = '-'] = words;
  return word === '-' ? readInput() : word;
}

function addressIn(text: string): { email: string; name?: string } {
  const [, before = '', email = text] = /^([^<]*)<([^<>]+)>$/.exec(text.trim()) ?? [];
  const name = before.trim().replace(/^"|"$/g, '').trim();
  return { email: email.trim(), ...(name !== '' && { name }) };
}

async function uploadAll(kontor: KontorClient, files: string[], signal: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  for (const file of files) {
    const blob = await openAsBlob(file).catch(() => {
      throw new UsageError(`The file ${file} cannot be read.`);
    });
    ids.push((await kontor.upload(blob, { name: basename(file), signal })).id);
  }
  return ids;
}
