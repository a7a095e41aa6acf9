import type { JsonObject, Schema, Wire } from '../foundation/json.ts'
import type { Vendor, WithExtra } from './parts.ts'

// The tools that a request offers, and the choice between them: docs/protocol/tools.md.

/** The most tools in a request, and in one namespace. */
export const maxTools = 2_000
const string = { type: 'string' } as const
const toolName = { type: 'string', minLength: 1, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' } as const

const functionTool = {
  type: 'object',
  required: ['type', 'name'],
  properties: {
    type: { const: 'function' },
    name: toolName,
    description: string,
    parameters: { type: 'object' },
    strict: { type: 'boolean' },
  },
} as const satisfies Schema

const customTool = {
  type: 'object',
  required: ['type', 'name'],
  properties: {
    type: { const: 'custom' },
    name: toolName,
    description: string,
    format: {
      type: 'object',
      required: ['type'],
      properties: { type: { enum: ['text', 'grammar'] }, syntax: { enum: ['lark', 'regex'] }, definition: string },
      if: { properties: { type: { const: 'grammar' } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['syntax', 'definition'] },
    },
  },
} as const satisfies Schema

const namespaceTool = {
  type: 'object',
  required: ['type', 'name', 'tools'],
  properties: {
    type: { const: 'namespace' },
    name: toolName,
    description: string,
    tools: {
      type: 'array',
      maxItems: maxTools,
      items: { type: 'object', required: ['type'], discriminator: { propertyName: 'type' }, oneOf: [functionTool, customTool] },
    },
  },
} as const satisfies Schema

const domains = { type: 'array', maxItems: 100, items: { type: 'string', minLength: 1, maxLength: 253 } } as const

/** An entry of `tools` that searches the web. */
export const webSearchTool = {
  type: 'object',
  required: ['type'],
  properties: {
    /** Surfaces accept older names, too. */
    type: { const: 'web_search' },
    /** Who searches: docs/protocol/tools.md#web-search. */
    engine: {
      type: 'object',
      properties: {
        /** `native`: the vendor. `managed`: the gateway. `auto` (default): the vendor, if it can. */
        type: { enum: ['auto', 'native', 'managed'] },
      },
    },
    /** How much the model reads of the results. Default: `medium`. */
    search_context_size: { enum: ['low', 'medium', 'high'] },
    /** Domains include their subdomains. */
    filters: {
      type: 'object',
      properties: {
        /** Only these. */
        allowed_domains: domains,
        /** None of these. */
        blocked_domains: domains,
      },
    },
    /** See `SearchLocation`. */
    user_location: {
      type: 'object',
      properties: {
        /** The only kind. */
        type: { const: 'approximate' },
        /** Two letters, ISO 3166-1. */
        country: string,
        /** Such as `Bavaria`. */
        region: string,
        /** Such as `Munich`. */
        city: string,
        /** IANA, such as `Europe/Berlin`. */
        timezone: string,
      },
    },
    /** False: nothing may be fetched from the web while the model answers. */
    external_web_access: { type: 'boolean' },
  },
} as const satisfies Schema

/**
 * Tools of coding agents, which the caller runs. An endpoint that does not have them gets functions in their place:
 * docs/protocol/tools.md#tools-of-coding-agents.
 */
export const agentToolTypes = ['apply_patch', 'local_shell', 'shell', 'tool_search'] as const
/** A type of tool that the caller runs, as in `Capabilities.agentTools`. */
export type AgentToolType = (typeof agentToolTypes)[number]

/** Tools that only the Responses dialect has. Callers may send others that are as unknown to core. */
export const foreignToolTypes = [
  'apply_patch',
  'code_interpreter',
  'computer',
  'computer_use',
  'computer_use_preview',
  'file_search',
  'image_generation',
  'local_shell',
  'mcp',
  'programmatic_tool_calling',
  'shell',
  'tool_search',
] as const

/** By type of tool: members of an entry that hold the caller's credentials. Only who runs the tool gets them. */
export const secretToolMembers: ReadonlyMap<unknown, readonly string[]> = new Map([['mcp', ['authorization', 'headers']]])

const foreignTool = { type: 'object', required: ['type'], properties: { type: { enum: foreignToolTypes } } } as const satisfies Schema

/** An entry of `tools`. */
export const toolSchema = {
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [functionTool, customTool, namespaceTool, webSearchTool, foreignTool],
} as const satisfies Schema

export const toolChoiceSchema = {
  anyOf: [
    { enum: ['none', 'auto', 'required'] },
    {
      type: 'object',
      required: ['type'],
      properties: {
        type: string,
        name: string,
        mode: { enum: ['auto', 'required', 'none'] },
        tools: {
          type: 'array',
          maxItems: maxTools,
          items: { type: 'object', required: ['type'], properties: { type: string, name: string } },
        },
      },
    },
  ],
} as const satisfies Schema

/** A function that the caller runs: docs/protocol/tools.md#definitions. */
export type FunctionTool = Wire<typeof functionTool> & WithExtra
/** A tool of the caller whose input is free text: docs/protocol/tools.md#definitions. */
export type CustomTool = Wire<typeof customTool> & WithExtra
/** Tools under a common name: docs/protocol/tools.md#definitions. */
export type NamespaceTool = Wire<typeof namespaceTool>
/** A search of the web: docs/protocol/tools.md#web-search. */
export type WebSearchTool = Wire<typeof webSearchTool> & WithExtra
/** A tool of a type that only the Responses dialect has, with any members: docs/protocol/tools.md#definitions. */
export type ForeignTool = {
  /** Such as `code_interpreter`. */
  readonly type: (typeof foreignToolTypes)[number]
} & JsonObject
/** An entry of `tools`. */
export type ToolDefinition = FunctionTool | CustomTool | NamespaceTool | WebSearchTool | ForeignTool | Vendor
/** Which tools the model may or must call: docs/protocol/tools.md#choosing. */
export type ToolChoice = Wire<typeof toolChoiceSchema>
