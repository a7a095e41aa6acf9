import type { JsonObject } from '../../../../core/index.ts'
import { itemSchema, maxTextLength, toolSchema } from '../../../../core/kit.ts'
import { webSearchTypes } from '../normalise.ts'
import { requestBodySchema } from '../request-body.ts'
import { plainType } from '../unknown-types.ts'
import { asSent } from './as-sent.ts'
import { list, oneOf, orNull, pascal, ref, union } from './terms.ts'

// The request body as clients may send it, derived from the schema that checks the normalized request.

type Members = Readonly<Record<string, JsonObject>>

const { input: _, tools: _tools, tool_choice: choice, ...plain } = requestBodySchema.properties

const text = { type: 'string', minLength: 1, maxLength: maxTextLength }
const items = { type: 'array', minItems: 1, items: ref('InputItem') }

const isGiven = (...names: readonly string[]): JsonObject => ({
  required: names,
  properties: Object.fromEntries(names.map(name => [name, { not: { type: 'null' } }])),
})

/** `sort`: the schema of the sorts that are loaded. */
export function requestSchemas(sort: JsonObject): Members {
  return {
    ...inputItemSchemas,
    ...union(
      'Tool',
      variantsOf(toolSchema.oneOf, type => `${pascal(type)}Tool`, sentTool, foreignType(toolSchema.oneOf)),
    ),
    ToolChoice: asSent(choice),
    CreateResponse: createResponse(sort),
    CompactResponse: compactResponse(createResponse(sort).properties as Members),
  }
}

function createResponse(sort: JsonObject): JsonObject {
  const { model, provider } = plain.routing.properties
  const routing = {
    ...plain.routing,
    properties: {
      model: { ...model, properties: { ...model.properties, sort } },
      provider: { ...provider, properties: { ...provider.properties, sort } },
    },
  }
  return {
    type: 'object',
    required: requestBodySchema.required,
    not: isGiven('conversation', 'previous_response_id'),
    properties: {
      input: { anyOf: [text, items] },
      ...(asSent({ type: 'object', required: ['model'], properties: { ...plain, routing } }) as { properties: Members }).properties,
      tools: orNull(list(ref('Tool'))),
      tool_choice: orNull(ref('ToolChoice')),
    },
  }
}

/** The body of a generation. Members that concern the form of an answer are accepted, without effect. */
function compactResponse({ input, ...properties }: Members): JsonObject {
  return {
    type: 'object',
    required: ['model'],
    anyOf: [isGiven('input'), isGiven('previous_response_id')],
    properties: { input: orNull(input!), ...properties },
  }
}

/** Each variant under a name made from its type. Types of a single dialect share one name. */
function variantsOf(
  variants: readonly object[],
  nameOf: (type: string) => string,
  sent: (schema: Variant) => JsonObject,
  foreign: JsonObject,
): Members {
  return Object.fromEntries(
    (variants as readonly Variant[]).map(variant => {
      const type = variant.properties['type']!['const'] as string | undefined
      if (type !== undefined) return [nameOf(type), sent(variant)]
      return [nameOf('foreign'), asSent({ ...variant, properties: { ...variant.properties, type: foreign } })]
    }),
  )
}

type Variant = JsonObject & { readonly required: readonly string[]; readonly properties: Members }

/** A type that only one dialect has, or that is unknown here: upstreams may know it. */
function foreignType(known: readonly object[]): JsonObject {
  const types = (known as readonly Variant[]).flatMap(({ properties }) => properties['type']!['const'] ?? [])
  return { type: 'string', pattern: plainType.source, not: { enum: [...types, ...webSearchTypes, 'vendor'] } }
}

/** Messages and references may leave out their type, and the content of a message may be a string. */
function sentItem(variant: Variant): JsonObject {
  const type = variant.properties['type']?.['const']
  if (type !== 'message' && type !== 'item_reference') return asSent(variant)
  const { properties, ...rest } = asSent({ ...variant, required: variant.required.filter(name => name !== 'type') }) as Variant
  const { content } = properties
  return { ...rest, properties: { ...properties, ...(content && { content: { anyOf: [{ type: 'string' }, content] } }) } }
}

/** The web search tool also has older type names. */
function sentTool(variant: Variant): JsonObject {
  const sent = asSent(variant) as Variant
  if (variant.properties['type']?.['const'] !== 'web_search') return sent
  return { ...sent, properties: { ...sent.properties, type: oneOf(...webSearchTypes) } }
}

export const inputItemSchemas: Members = union(
  'InputItem',
  variantsOf(itemSchema.oneOf, type => `Input${pascal(type)}`, sentItem, foreignType(itemSchema.oneOf)),
)
