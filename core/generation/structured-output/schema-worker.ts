import { parentPort } from 'node:worker_threads'
import { Ajv, type AnySchemaObject, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { LRUCache } from 'lru-cache'

// The program of a thread that knows nothing but what it is asked. Patterns are the callers' own and run in the engine's regular
// expressions, which can take for ever: whoever asks ends the thread at a deadline.

/** Whether a schema can be used, or with a text whether that JSON matches it. */
export interface Question {
  readonly schema: string
  readonly text?: string
}

/** `problems` are those of the text: where, and the keyword that it breaks. Never what stands there. */
export type Verdict = { readonly usable: true; readonly problems: readonly string[] } | { readonly usable: false; readonly problem: string }

type Draft = typeof Ajv | typeof Ajv2019 | typeof Ajv2020

const options: Options = {
  strict: false,
  logger: false,
  validateFormats: false,
  // A member that every object inherits is not there: `required: ["toString"]`.
  ownProperties: true,
  // Optimizing takes three times as long as all the rest, to save microseconds of a check.
  code: { optimize: false, regExp: Object.assign(expression, { code: 'expression' }) },
}
const maximumProblems = 5
const problemCharacters = 200

const metaSchemas = new Map<Draft, InstanceType<Draft>>()
const compiled = new LRUCache<string, ValidateFunction>({ maxSize: 500_000, sizeCalculation: (_, schema) => schema.length })

parentPort!.on('message', (question: Question) => parentPort!.postMessage(answer(question)))
parentPort!.postMessage('ready')

function answer({ schema, text }: Question): Verdict {
  try {
    const validate = compiled.get(schema) ?? compile(schema)
    compiled.set(schema, validate)
    const valid = text === undefined || validate(JSON.parse(text))
    return { usable: true, problems: valid ? [] : problemsOf(validate.errors!) }
  } catch (error) {
    const problem = error instanceof RangeError ? 'it goes round in circles or too deep' : (error as Error).message
    return { usable: false, problem: problem.slice(0, problemCharacters) }
  }
}

function compile(text: string): ValidateFunction {
  // The vocabulary is chosen here; ajv would refuse a name that it does not know.
  const { $schema, ...schema } = JSON.parse(text) as AnySchemaObject
  const [first, ...others] = draftsFor($schema)
  const problem = problemOf(schema, first!)
  const draft = problem === undefined ? first! : others.find(other => problemOf(schema, other) === undefined)
  if (!draft) throw new Error(problem)
  // Each with its own, so that no schema can refer to somebody else's. None is ever fetched: what a schema refers to is in it.
  const ajv = new draft({ ...options, meta: false, validateSchema: false })
  // Only a name, in older schemas; ajv refuses it.
  const validate = ajv.removeKeyword('id').compile(schema)
  if ('$async' in validate) throw new Error('"$async" is not a keyword of JSON Schema')
  // A schema that refers to itself alone shows it at once.
  for (const value of [{}, [], '', 0, null]) validate(value)
  return validate
}

function draftsFor(name: unknown): readonly [Draft, ...Draft[]] {
  if (typeof name === 'string') {
    if (/draft-0[67]/.test(name)) return [Ajv]
    if (name.includes('2019-09')) return [Ajv2019]
    if (name.includes('2020-12')) return [Ajv2020]
  }
  return [Ajv2020, Ajv]
}

function problemOf(schema: AnySchemaObject, draft: Draft): string | undefined {
  let meta = metaSchemas.get(draft)
  if (!meta) metaSchemas.set(draft, (meta = new draft(options)))
  return meta.validateSchema(schema) === true ? undefined : meta.errorsText(meta.errors?.slice(0, 1), { dataVar: '#' })
}

function problemsOf(errors: readonly ErrorObject[]): readonly string[] {
  const all = new Set(errors.map(({ instancePath, keyword }) => `"${keyword}" at "${instancePath.slice(0, problemCharacters) || '/'}"`))
  return [...all].slice(0, maximumProblems)
}

/** Older schemas hold patterns that only the old syntax knows, such as needless escapes. */
function expression(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return new RegExp(pattern)
  }
}
