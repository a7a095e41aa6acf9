import { PostgresQueryCompiler, type Dialect } from 'kysely'
import { storableText } from '../storable-text.ts'

/** Makes a Postgres dialect store any text that a caller can send. */
export function storingAnyText<D extends Dialect>(dialect: D): D {
  dialect.createQueryCompiler = () => new AnyText()
  return dialect
}

class AnyText extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(typeof parameter === 'string' ? storableText(parameter) : parameter)
  }
}
