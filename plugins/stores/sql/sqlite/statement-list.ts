import { RawNode, type CompiledQuery } from 'kysely'

export type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

/** Several statements in the form of one, which is all that Kysely passes on. A row of its result is the list of rows of one statement. */
export class StatementList implements CompiledQuery<readonly unknown[]> {
  readonly sql = ''
  readonly parameters = []
  readonly query = RawNode.createWithSql('')
  readonly queryId: CompiledQuery['queryId']
  readonly statements: readonly Statement[]

  constructor(statements: readonly CompiledQuery[]) {
    this.queryId = statements[0]!.queryId
    this.statements = statements.map(({ sql, parameters }) => ({ sql, parameters }))
  }
}
