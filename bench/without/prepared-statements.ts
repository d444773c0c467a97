import { type Asked, Statement as NamedStatement } from '../../src/ground/database/statement.ts';

export * from '../../src/ground/database/statement.ts';

export class Statement extends NamedStatement {
  constructor(asked: Asked) {
    super({ ...asked, statement: { ...asked.statement, name: '' } });
  }
}
