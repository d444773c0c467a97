import { Statement as CachingStatement, type Connection } from '../../src/ground/database/statement.ts';

export * from '../../src/ground/database/statement.ts';

/** Asks for the description where the service would have taken it from its cache. */
export class Statement extends CachingStatement {
  override send(connection: Connection): void {
    let isDescribed = false;
    const describing: PropertyDescriptorMap & ThisType<Connection> = {
      describe: {
        value: (message: Parameters<Connection['describe']>[0]) => {
          isDescribed = true;
          connection.describe(message);
        },
      },
      execute: {
        value: (message: object) => {
          if (!isDescribed) connection.describe({ type: 'P', name: '' });
          connection.execute(message);
        },
      },
    };
    super.send(Object.create(connection, describing) as Connection);
  }
}
