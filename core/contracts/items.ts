import type { JsonObject, Schema, Wire } from '../foundation/json.ts'
import { inputPartSchema, maxTextLength, partSchema, type InputPart, type Part, type Vendor, type WithExtra } from './parts.ts'

export * from './parts.ts'

// Conversation items in `input[]` after normalization: every item has a `type`, message content is always an array of parts,
// and nulls are removed. Unknown members are allowed everywhere.

const string = { type: 'string' } as const
const itemMeta = { id: string, status: { enum: ['in_progress', 'completed', 'incomplete', 'searching', 'failed'] } } as const
/** The public protocols do not accept longer ids: docs/protocol/items.md#input-items. */
export const maxCallIdLength = 64
const callId = { type: 'string', minLength: 1, maxLength: maxCallIdLength } as const

const toolOutput = {
  anyOf: [
    { type: 'string', maxLength: maxTextLength },
    { type: 'array', items: inputPartSchema },
  ],
} as const satisfies Schema

const message = {
  type: 'object',
  required: ['type', 'role', 'content'],
  properties: {
    ...itemMeta,
    type: { const: 'message' },
    role: { enum: ['user', 'system', 'developer', 'assistant'] },
    content: { type: 'array', items: partSchema },
    phase: { enum: ['commentary', 'final_answer'] },
  },
} as const satisfies Schema

const functionCall = {
  type: 'object',
  required: ['type', 'call_id', 'name', 'arguments'],
  properties: {
    ...itemMeta,
    type: { const: 'function_call' },
    call_id: callId,
    name: { type: 'string', minLength: 1, maxLength: 128 },
    arguments: string,
    namespace: string,
  },
} as const satisfies Schema

const functionCallOutput = {
  type: 'object',
  required: ['type', 'output'],
  properties: {
    ...itemMeta,
    type: { const: 'function_call_output' },
    call_id: callId,
    name: { type: 'string', minLength: 1, maxLength: 128 },
    namespace: string,
    output: toolOutput,
  },
} as const satisfies Schema

const customToolCall = {
  type: 'object',
  required: ['type', 'call_id', 'name', 'input'],
  properties: {
    ...itemMeta,
    type: { const: 'custom_tool_call' },
    call_id: callId,
    name: { type: 'string', minLength: 1, maxLength: 128 },
    input: string,
    namespace: string,
  },
} as const satisfies Schema

const customToolCallOutput = {
  type: 'object',
  required: ['type', 'call_id', 'output'],
  properties: { ...itemMeta, type: { const: 'custom_tool_call_output' }, call_id: callId, output: toolOutput },
} as const satisfies Schema

const reasoning = {
  type: 'object',
  required: ['type'],
  properties: {
    ...itemMeta,
    type: { const: 'reasoning' },
    summary: {
      type: 'array',
      items: { type: 'object', required: ['text'], properties: { type: { const: 'summary_text' }, text: string } },
    },
    content: {
      type: 'array',
      items: { type: 'object', required: ['text'], properties: { type: { enum: ['reasoning_text', 'text'] }, text: string } },
    },
    encrypted_content: string,
  },
} as const satisfies Schema

const webSearchCall = {
  type: 'object',
  required: ['type'],
  properties: { ...itemMeta, type: { const: 'web_search_call' }, action: { type: 'object' } },
} as const satisfies Schema

const compaction = {
  type: 'object',
  required: ['type', 'encrypted_content'],
  properties: { ...itemMeta, type: { const: 'compaction' }, encrypted_content: string },
} as const satisfies Schema

const itemReference = {
  type: 'object',
  required: ['type', 'id'],
  properties: { type: { const: 'item_reference' }, id: { type: 'string', minLength: 1 } },
} as const satisfies Schema

/** Item types that only the Responses dialect knows. They are sent unchanged to upstreams of that dialect, and to no others. */
export const foreignItemTypes = [
  'additional_tools',
  'apply_patch_call',
  'apply_patch_call_output',
  'code_interpreter_call',
  'computer_call',
  'computer_call_output',
  'configuration_update',
  'file_search_call',
  'image_generation_call',
  'local_shell_call',
  'local_shell_call_output',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_call',
  'mcp_list_tools',
  'program',
  'program_output',
  'shell_call',
  'shell_call_output',
  'tool_search_call',
  'tool_search_output',
  'compaction_trigger',
] as const

const foreign = { type: 'object', required: ['type'], properties: { type: { enum: foreignItemTypes } } } as const satisfies Schema

/** An entry of `input`, after normalization: docs/protocol/items.md#input-items. */
export const itemSchema = {
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [
    message,
    functionCall,
    functionCallOutput,
    customToolCall,
    customToolCallOutput,
    reasoning,
    webSearchCall,
    compaction,
    itemReference,
    foreign,
  ],
} as const satisfies Schema

/** A message of the conversation, from the caller or the model: docs/protocol/items.md#input-items. */
export type MessageItem = Omit<Wire<typeof message>, 'content'> &
  WithExtra & {
    /** Text alone is one part, too. */
    readonly content: readonly Part[]
  }
/** A call of a function: docs/protocol/items.md#input-items. */
export type FunctionCallItem = Wire<typeof functionCall> & WithExtra
/** Callers may omit `call_id`. Core fills it in when it adds history (`generation/tool-outputs.ts`), before guards and providers see it. */
export type FunctionCallOutputItem = Omit<Wire<typeof functionCallOutput>, 'output' | 'call_id'> &
  WithExtra & {
    /** That of the call it answers. */
    readonly call_id: string
    /** The result, for the model to read. */
    readonly output: string | readonly InputPart[]
  }
/** A call of a custom tool, whose `input` is free text. */
export type CustomToolCallItem = Wire<typeof customToolCall> & WithExtra
/** The caller's answer to a call of a custom tool. */
export type CustomToolCallOutputItem = Omit<Wire<typeof customToolCallOutput>, 'output'> &
  WithExtra & {
    /** The result, for the model to read. */
    readonly output: string | readonly InputPart[]
  }
/** Reasoning of an earlier turn. `encrypted_content` is the state of the vendor that made it. */
export type ReasoningItem = Wire<typeof reasoning> & WithExtra
/** A search of an earlier turn. */
export type WebSearchCallItem = Wire<typeof webSearchCall>
/** Stands for the conversation before it: docs/protocol/compaction.md#going-on. */
export type CompactionItem = Wire<typeof compaction>
/** Core replaces it by the stored item, so providers never get one: docs/protocol/items.md#references. */
export type ItemReference = Wire<typeof itemReference>
/** An item of a type that only the Responses dialect has, with any members: docs/protocol/items.md#input-items. */
export type ForeignItem = {
  /** Such as `code_interpreter_call`. */
  readonly type: (typeof foreignItemTypes)[number]
} & JsonObject

/** One entry of a conversation. Clients see the `encrypted_content` of reasoning sealed; providers see the vendor's own bytes. */
export type Item =
  | MessageItem
  | FunctionCallItem
  | FunctionCallOutputItem
  | CustomToolCallItem
  | CustomToolCallOutputItem
  | ReasoningItem
  | WebSearchCallItem
  | CompactionItem
  | ItemReference
  | ForeignItem
  | Vendor
