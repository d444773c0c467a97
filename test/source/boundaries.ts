import ts from 'typescript';

export type SourceFile = { path: string; text: string };

/** The ground: what each of its rooms may import. All other rooms may import all of it. */
const ground: Record<string, readonly string[]> = {
  lib: [],
  catalog: ['lib'],
  settings: ['lib', 'catalog'],
  platform: ['lib', 'catalog', 'settings'],
  database: ['lib', 'catalog', 'settings', 'platform'],
  'embedded-postgres': ['lib', 'settings', 'platform'],
  queue: ['lib', 'catalog', 'platform', 'database'],
  http: ['lib', 'catalog', 'platform', 'database'],
  telemetry: ['lib', 'settings', 'platform', 'http'],
  blobs: ['lib', 'settings', 'platform'],
  processes: ['lib', 'platform'],
};
/**
 * The neighbourhoods from top to bottom, each with its rooms from top to bottom. A neighbourhood imports only those
 * above it, and a room within one only the rooms above it there.
 */
const neighbourhoods: Record<string, readonly string[]> = {
  ground: Object.keys(ground),
  access: ['audit', 'accounts', 'workspaces', 'uses', 'teams', 'auth'],
  events: ['samples', 'notifications', 'activity', 'integrations'],
  mail: ['mail', 'mailboxes'],
  helpdesk: [
    'files',
    'contacts',
    'replies',
    'messages',
    'tickets',
    'trash',
    'spam',
    'people',
    'erasures',
    'merges',
    'departures',
    'ratings',
  ],
  transport: ['deliveries', 'mailflow', 'webhooks'],
  inbox: ['lists', 'bulk', 'tags', 'presence', 'views', 'stream', 'start', 'onboarding'],
  automation: ['readers', 'calendars', 'machine-mail', 'auto-replies', 'surveys', 'rules'],
  insight: ['reports'],
  operations: ['backups', 'transfer', 'ops', 'commands'],
};
const rooms = Object.values(neighbourhoods).flat();

/** The rooms that a room may import: those above it, with three exceptions. */
function allowedIn(room: string): readonly string[] {
  if (room === 'mail') return ['lib'];
  const allowed = ground[room] ?? rooms.slice(0, rooms.indexOf(room)).filter((other) => other !== 'auth');
  return room === 'tickets' ? allowed.filter((other) => other !== 'mail') : allowed;
}

/** Packages that only one place may import, and what other code uses instead. */
const keptPackages: { name: RegExp; under: readonly string[]; instead: string }[] = [
  {
    name: /^pg(-copy-streams)?$/,
    under: ['src/ground/database/', 'src/ground/embedded-postgres/'],
    instead: 'take a Queryable or a Tx and write SQL with the tag of database/sql.ts',
  },
  {
    name: /^graphile-worker$/,
    under: ['src/ground/queue/', 'src/ground/database/migrate.ts'],
    instead: 'enqueue with queue/enqueue.ts and name the handler in worker.ts',
  },
  {
    name: /^(nodemailer|smtp-server)$/,
    under: ['src/mail/'],
    instead: 'mail is received and sent in src/mail, and taken to SQL in src/transport/mailflow',
  },
  {
    name: /^(postal-mime|mailparser|mailauth|html-to-text|iconv-lite|yauzl)(\/|$)/,
    under: ['mail/'],
    instead: 'mail is read and judged by the package @kontor/mail, which imports nothing of src',
  },
  {
    name: /^(jose|fast-jwt|otpauth|@node-rs\/argon2|@zxcvbn-ts\/.+)$/,
    under: ['src/access/accounts/'],
    instead: 'passwords and tokens are made and checked in src/access/accounts',
  },
  {
    name: /^@aws-sdk\//,
    under: ['src/ground/blobs/'],
    instead: 'bytes are kept by the Blobs of blobs/blobs.ts, on disk or in a bucket',
  },
  {
    name: /^(@fastify\/multipart|file-type)$/,
    under: ['src/helpdesk/files/'],
    instead: 'uploads are taken and named in src/helpdesk/files',
  },
  {
    name: /^@opentelemetry\//,
    under: ['src/ground/telemetry/'],
    instead: 'run work with `traced` of lib/traced.ts',
  },
  {
    name: /^prom-client$/,
    under: ['src/operations/ops/'],
    instead: 'metrics are kept in src/operations/ops/metrics.ts',
  },
  { name: /^vitest$/, under: ['test/'], instead: 'tests are files named .test.ts' },
];

const vagueWords = /^(utils?|helpers?|common|services?|managers?|repositor(y|ies)|index|misc|types)$/;

/** @returns a sentence for each place that breaks the rules of docs/house.md, and where the code belongs instead */
export function boundaryFaults(files: readonly SourceFile[]): string[] {
  const edges = edgesOf(files);
  const code = files.filter(({ path }) => !path.endsWith('.test.ts'));
  return [
    ...files.flatMap(nameFaults),
    ...code.flatMap((file) => [...importFaults(file, edges), ...textFaults(file)]),
    ...folderFaults(code),
  ];
}

const filesMax = 30;

/** Folders with too many files. */
export function folderFaults(files: readonly SourceFile[]): string[] {
  const folders = Map.groupBy(files, ({ path }) => path.slice(0, path.lastIndexOf('/')));
  return [...folders].flatMap(([folder, { length }]) =>
    length <= filesMax
      ? []
      : [
          `${folder} has ${length} files, more than ${filesMax}: ` +
            'move files that belong together to a room or a subfolder of their own.',
        ],
  );
}

/**
 * The files that may import the App, as a type: routes, auth, and the handlers of worker.ts. They open transactions;
 * the code that they call takes a Tx.
 */
function edgesOf(files: readonly SourceFile[]): Set<string> {
  const worker = files.find(({ path }) => path === 'src/worker.ts');
  const handlers = worker === undefined ? [] : ts.preProcessFile(worker.text).importedFiles;
  return new Set([
    ...handlers.map(({ fileName }) => fileName.replace('./', 'src/')),
    ...files.map(({ path }) => path).filter((path) => /\/(?:[a-z-]+-)?routes\.ts$|^src\/access\/auth\//.test(path)),
  ]);
}

function nameFaults({ path }: SourceFile): string[] {
  const name =
    path
      .split('/')
      .at(-1)
      ?.replace(/(\.test)?\.ts$/, '') ?? '';
  const faults: string[] = [];
  if (name.split('-').some((word) => vagueWords.test(word)))
    faults.push(
      `${path}: "${name}" says nothing about the content; ` +
        'name the file after its verb (merge.ts) or its noun (cursor.ts).',
    );
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) faults.push(`${path}: file names are kebab-case.`);
  const { neighbourhood, room } = placeOf(path);
  if (neighbourhood !== undefined && !neighbourhoods[neighbourhood]?.includes(room ?? ''))
    faults.push(
      `${path}: there is no room "${room}" in "${neighbourhood}"; put the code in the room that owns its table or ` +
        'subject, or add the room to docs/house.md and test/source/boundaries.ts.',
    );
  return faults;
}

function importFaults({ path, text }: SourceFile, edges: Set<string>): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.flatMap(({ fileName }) => {
    if (fileName.startsWith('.')) return relativeFaults(path, fileName, text, edges);
    const kept = keptPackages.find(
      ({ name, under }) => name.test(fileName) && !under.some((prefix) => path.startsWith(prefix)),
    );
    return kept === undefined
      ? []
      : [`${path} imports ${fileName}, which is kept to ${kept.under.join(' and ')}: ${kept.instead}.`];
  });
}

function relativeFaults(path: string, specifier: string, text: string, edges: Set<string>): string[] {
  if (specifier.endsWith('.json')) return [];
  if (!specifier.endsWith('.ts'))
    return [`${path} imports ${specifier}: relative imports name the file, with its ending .ts.`];
  const target = new URL(specifier, `file:///${path}`).pathname.slice(1);
  // `packageFaults` reads the imports of a package.
  if (!path.startsWith('src/')) return [];
  if (!target.startsWith('src/'))
    return [`${path} imports ${target}: the service imports a package by its name, such as @kontor/mail/parse.ts.`];
  const from = placeOf(path).room;
  const to = placeOf(target).room;
  if (from === to || from === undefined || from === 'commands') return [];
  if (to === undefined) return rootFaults(path, target, edges.has(path) && isTypeImport(text, specifier));
  if (allowedIn(from).includes(to)) return [];
  if (to === 'auth')
    return [
      `${path} imports ${target}: the gate runs before every room and server.ts alone installs it; ` +
        'the caller is in request.actor (http/http.ts).',
    ];
  if (from === 'tickets' && to === 'mail')
    return [
      `${path} imports ${target}: to send a reply, enqueue mail.deliver by its name; ` +
        'code that mail and tickets share is pure and belongs in src/ground/lib or in the package mail/.',
    ];
  if (from === 'mail')
    return [
      `${path} imports ${target}: src/mail has no SQL and no domain and imports only src/ground/lib; ` +
        'code that joins mail and tickets belongs in src/transport/mailflow.',
    ];
  if (from in ground)
    return [
      `${path} imports ${target}: ${from} knows no room; ` +
        `pass what it needs as an argument, or move the code to ${to}.`,
    ];
  return [
    `${path} imports ${target}: ${from} stands above ${to} and may not import it; ` +
      `move the code to ${to}, or what both need to a room above both.`,
  ];
}

function isTypeImport(text: string, specifier: string): boolean {
  return new RegExp(`import type \\{[^}]*\\} from '${specifier.replaceAll('.', '\\.')}'`).test(text);
}

/** Only main.ts and the commands may import files of src itself. */
function rootFaults(path: string, target: string, mayKnowApp: boolean): string[] {
  if (target !== 'src/app.ts')
    return [
      `${path} imports ${target}: it puts the rooms together, and only src/main.ts and the commands may import it.`,
    ];
  if (mayKnowApp) return [];
  return [
    `${path} imports ${target}: only routes, the door (src/access/auth) and the handlers of worker.ts know the App, ` +
      'as a type; pass on the Db, Tx or Blobs that the code needs.',
  ];
}

/** The neighbourhood and the room of a file. Files that put the rooms together have neither, nor do packages. */
function placeOf(path: string): { neighbourhood?: string; room?: string } {
  const [root, neighbourhood = '', room = '', ...rest] = path.split('/');
  if (root !== 'src' || room === '') return {};
  if (neighbourhood === 'mail' && room !== 'mailboxes') return { neighbourhood, room: 'mail' };
  return { neighbourhood, room: rest.length === 0 ? neighbourhood : room };
}

/** A provider's key on the wire, a name after it, or a comparison with a key. */
const namesProvider = /(['"`])mail-[ab]\1|\bmail[AB]\b|[!=]== providerKeys\b/;

/** The row of a message, the one place that writes it with all that follows, and the import of whole tickets. */
const messageWriters = [
  'src/helpdesk/messages/insert-message.ts',
  'src/helpdesk/tickets/write-message.ts',
  'src/operations/transfer/ticket-rows.ts',
];
const insertsMessage = /\binsertMessage\(|\binsert into messages\b/;

function textFaults({ path, text }: SourceFile): string[] {
  const faults: string[] = [];
  if (/^export default\b/m.test(text)) faults.push(`${path} has a default export: export it by its name.`);
  if (/^export (type )?(\*|\{[^}]*\})( as \w+)? from\b/m.test(text))
    faults.push(`${path} exports again what another file has: import that file where it is needed.`);
  if (namesProvider.test(text) && !path.startsWith('src/mail/providers/'))
    faults.push(
      `${path} tests which mail provider it has, or spells its key: ` +
        'give mail/providers/registry.ts a trait and ask traitsOf.',
    );
  if (insertsMessage.test(text) && !messageWriters.includes(path))
    faults.push(`${path} inserts a message: writeMessage of tickets/write-message.ts also does what follows from it.`);
  if (/\bprocess\.env\b/.test(text) && path !== 'src/main.ts' && path !== 'src/ground/settings/config.ts')
    faults.push(
      `${path} reads process.env: settings are read and checked in ground/settings/config.ts and passed on as Config.`,
    );
  return faults;
}
