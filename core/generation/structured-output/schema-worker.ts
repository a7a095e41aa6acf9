import { parentPort } from 'node:worker_threads'
import { Ajv, type AnySchemaObject, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { LRUCache } from 'lru-cache'

// The program of a thread without access to the process. Callers' patterns run in the engine's regular expressions, which can take
// forever, so the parent stops the thread at a deadline.

/**
 * Asks whether a schema can be used or, with `text`, whether that JSON matches it. With `syntax`, the schema is a regular expression that
 * the whole text must match, whatever it is.
 */
export interface SchemaQuestion {
  readonly schema: string
  readonly syntax?: 'regex'
  readonly text?: string
}

/** `problems` give the place in the text and the keyword that failed, never the value. */
export type Verdict = { readonly usable: true; readonly problems: readonly string[] } | { readonly usable: false; readonly problem: string }

type Dialect = typeof Ajv | typeof Ajv2019 | typeof Ajv2020

const options: Options = {
  strict: false,
  logger: false,
  validateFormats: false,
  // Inherited members do not count: `required: ["toString"]`.
  ownProperties: true,
  // Optimizing takes three times as long as everything else, to save microseconds per check.
  code: { optimize: false, regExp: Object.assign(expression, { code: 'expression' }) },
}
const maxProblems = 5
const problemCharacters = 200

const metaSchemas = new Map<Dialect, InstanceType<Dialect>>()
const compiled = new LRUCache<string, ValidateFunction>({ maxSize: 500_000, sizeCalculation: (_, schema) => schema.length })

parentPort!.on('message', async (question: SchemaQuestion) =>
  parentPort!.postMessage(question.syntax ? await regexAnswer(question) : answer(question)),
)
parentPort!.postMessage('ready')

function answer({ schema, text }: SchemaQuestion): Verdict {
  try {
    const validate = compiled.get(schema) ?? compile(schema)
    compiled.set(schema, validate)
    const valid = text === undefined || validate(JSON.parse(text))
    return { usable: true, problems: valid ? [] : problemsOf(validate.errors!) }
  } catch (error) {
    const problem = error instanceof RangeError ? 'it is circular or nests too deeply' : (error as Error).message
    return { usable: false, problem: problem.slice(0, problemCharacters) }
  }
}

/** Never backtracks, so that only long texts take long. */
async function regexAnswer({ schema, text }: SchemaQuestion): Promise<Verdict> {
  const { RE2JS } = await import('re2js')
  try {
    const isMatch = RE2JS.compile(schema)
      .matcher(text ?? '')
      .matches()
    return { usable: true, problems: text === undefined || isMatch ? [] : ['the regular expression'] }
  } catch (error) {
    return { usable: false, problem: (error as Error).message.slice(0, problemCharacters) }
  }
}

function compile(text: string): ValidateFunction {
  // The dialect is chosen here. ajv would reject a `$schema` that it does not know.
  const { $schema, ...schema } = JSON.parse(text) as AnySchemaObject
  const [first, ...others] = dialectsFor($schema)
  const problem = problemOf(schema, first!)
  const dialect = problem === undefined ? first! : others.find(other => problemOf(schema, other) === undefined)
  if (!dialect) throw new Error(problem)
  // One instance per schema, so that no schema can refer to another caller's. References to other documents are never fetched.
  const ajv = new dialect({ ...options, meta: false, validateSchema: false })
  // In older schemas `id` is only a name, but ajv rejects it.
  const validate = ajv.removeKeyword('id').compile(schema)
  if ('$async' in validate) throw new Error('"$async" is not a keyword of JSON Schema')
  // A schema that only refers to itself fails here.
  for (const value of [{}, [], '', 0, null]) validate(value)
  return validate
}

function dialectsFor(name: unknown): readonly [Dialect, ...Dialect[]] {
  if (typeof name === 'string') {
    if (/draft-0[67]/.test(name)) return [Ajv]
    if (name.includes('2019-09')) return [Ajv2019]
    if (name.includes('2020-12')) return [Ajv2020]
  }
  return [Ajv2020, Ajv]
}

function problemOf(schema: AnySchemaObject, dialect: Dialect): string | undefined {
  let meta = metaSchemas.get(dialect)
  if (!meta) metaSchemas.set(dialect, (meta = new dialect(options)))
  return meta.validateSchema(schema) === true ? undefined : meta.errorsText(meta.errors?.slice(0, 1), { dataVar: '#' })
}

function problemsOf(errors: readonly ErrorObject[]): readonly string[] {
  const all = new Set(errors.map(({ instancePath, keyword }) => `"${keyword}" at "${instancePath.slice(0, problemCharacters) || '/'}"`))
  return [...all].slice(0, maxProblems)
}

/** Older schemas contain patterns that are valid only without the `u` flag, such as needless escapes. */
function expression(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return new RegExp(pattern)
  }
}
