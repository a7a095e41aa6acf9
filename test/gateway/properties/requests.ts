import fc, { type Arbitrary } from 'fast-check'
import { requestBodySchema } from '../../../plugins/endpoints/responses/request-body.ts'
import { mutate, type Mutation, mutations } from '../../kit/mutations.ts'
import { pathsOf, type SchemaNode, type SchemaPath, type Step } from '../../kit/schema-paths.ts'
import { canary, valueOf, type Specials } from '../../kit/schema-values.ts'

type Body = Record<string, unknown> & { input: unknown; tools?: unknown; tool_choice?: unknown }
type Entry = Record<string, unknown>

/** One place of a request: a valid value there, and what then happens to it. */
export interface Edit {
  readonly path: SchemaPath
  readonly value: unknown
  readonly mutation: Mutation
}

const schema: SchemaNode = requestBodySchema
export const requestPaths: readonly SchemaPath[] = pathsOf(schema)

export function editsAt(path: SchemaPath, specials: Specials, mutation: Arbitrary<Mutation> = mutations): Arbitrary<Edit> {
  const [top, ...rest] = path.steps
  const member = memberOf(top!)
  return fc.record({ path: fc.constant(path), value: valueOf(schema.properties![member]!, specials, member, rest), mutation }).map(edit =>
    Object.assign(edit, {
      [fc.toStringMethod]: () => `${edit.mutation.kind} (${edit.mutation.chosen}) at ${path.name} of ${JSON.stringify(edit.value)}`,
    }),
  )
}

/** A valid request with valid values put in, and then broken or not. */
export function edited(base: object, edits: readonly Edit[]): Body {
  const body = structuredClone(base) as Body
  for (const { path, value, mutation } of edits) {
    const member = memberOf(path.steps[0]!)
    const at: (string | number)[] = [member, ...path.steps.slice(1).flatMap(keyOf)]
    if (member === 'input') at[1] = Number(at[1] ?? 0) + putIntoInput(body, structuredClone(value) as Entry[])
    else if (member === 'tools') putIntoTools(body, structuredClone(value) as Entry[])
    else body[member] = structuredClone(value)
    if (member === 'tool_choice') offerChosen(body)
    if (member === 'conversation') delete body['previous_response_id']
    if (member === 'previous_response_id') delete body['conversation']
    mutate(body, path.name === 'input' ? [member] : at, mutation)
  }
  return body
}

function memberOf(step: Step): string {
  return (step as { readonly member: string }).member
}

function keyOf(step: Step): readonly (string | number)[] {
  if ('member' in step) return [step.member]
  if ('entry' in step) return [0]
  return 'key' in step ? ['key'] : []
}

/** Puts them before the present items, with the calls that their outputs need. Returns the number of added calls. */
function putIntoInput(body: Body, items: readonly Entry[]): number {
  const known = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : Array.isArray(body.input) ? body.input : []
  const outputs = [
    ...new Map(
      items
        .filter(({ type }) => String(type).endsWith('_call_output') && /function|custom/.test(String(type)))
        .map(item => [item['call_id'], item]),
    ).values(),
  ]
  const calls = outputs.map(({ type, call_id }) =>
    type === 'custom_tool_call_output'
      ? { type: 'custom_tool_call', call_id, name: 'run-it', input: canary }
      : { type: 'function_call', call_id, name: 'get_weather', arguments: '{}' },
  )
  const kept = items.filter(item => !outputs.some(({ call_id }) => call_id === item['call_id']) || outputs.includes(item))
  body.input = [...calls, ...kept, ...known]
  return calls.length
}

/** Names are told once. */
function putIntoTools(body: Body, tools: readonly Entry[]): void {
  const all = [...tools, ...(Array.isArray(body.tools) ? (body.tools as Entry[]) : [])]
  body.tools = unlike(all)
}

function unlike(tools: readonly Entry[]): readonly Entry[] {
  const names = new Set<unknown>()
  return tools.flatMap(tool => {
    const { name, tools: nested } = tool
    if (name !== undefined && names.has(name)) return []
    names.add(name)
    return [Array.isArray(nested) ? { ...tool, tools: unlike(nested) } : tool]
  })
}

function offerChosen(body: Body): void {
  const choice = body.tool_choice
  const asked = typeof choice === 'object' ? (((choice as Entry)['tools'] as Entry[] | undefined) ?? [choice as Entry]) : []
  const tools = asked.flatMap(({ type, name }) =>
    type === 'function' || type === 'custom' ? [{ type, name }] : type === 'web_search' ? [{ type }] : [],
  )
  putIntoTools(body, tools.length > 0 ? tools : [{ type: 'function', name: 'get_weather' }])
}
