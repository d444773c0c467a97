import { type Asked, Statement as NamedStatement } from '../../src/database/statement.ts';

export * from '../../src/database/statement.ts';

export class Statement extends NamedStatement {
  constructor(asked: Asked) {
    super({ ...asked, statement: { ...asked.statement, name: '' } });
  }
}
