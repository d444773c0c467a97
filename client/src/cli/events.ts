import { typed } from './program.ts';
import { type Command, openClient, parse } from './run.ts';

export const events: Command = {
  usage: typed('events [--after <id>]'),
  about: 'Follow the live events of the workspace, one JSON object on each line, until you stop it.',
  run: async (run, parameters) => {
    const { values } = parse(parameters, { after: { type: 'string' } } as const, events.usage);
    const kontor = await openClient(run);
    const place = values.after === undefined ? {} : { lastEventId: values.after };
    for await (const event of kontor.events({ ...place, signal: run.signal })) run.output.json(event);
  },
};
