import type { JsonObject, Schema, Wire } from '../foundation/json.ts'

// The parts of messages and tool outputs after normalization. Unknown members are allowed everywhere.

const string = { type: 'string' } as const

/** The longest text of one part, in characters: docs/protocol/items.md#content-parts. */
export const maxTextLength = 10_485_760
const maxImageUrlLength = 20_971_520

/** The Messages dialect's cache hint: everything up to here may be cached. */
export const cacheControlSchema = {
  type: 'object',
  required: ['type'],
  properties: {
    /** The only kind. */
    type: { const: 'ephemeral' },
    /** How long to keep it. Default: the vendor's. */
    ttl: { enum: ['5m', '1h'] },
  },
} as const satisfies Schema

/** The Responses dialect's cache hint. */
const cacheBreakpoint = {
  type: 'object',
  required: ['mode'],
  properties: { mode: { const: 'explicit' }, ttl: string },
} as const satisfies Schema

const cacheHints = { prompt_cache_breakpoint: cacheBreakpoint, cache_control: cacheControlSchema } as const

const inputText = {
  type: 'object',
  required: ['type', 'text'],
  properties: { type: { const: 'input_text' }, text: { type: 'string', maxLength: maxTextLength }, ...cacheHints },
} as const satisfies Schema

const image = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { const: 'input_image' },
    image_url: { type: 'string', maxLength: maxImageUrlLength },
    file_id: string,
    detail: { enum: ['low', 'high', 'auto', 'original'] },
    ...cacheHints,
  },
} as const satisfies Schema

const file = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { const: 'input_file' },
    filename: string,
    file_data: string,
    file_url: string,
    file_id: string,
    detail: { enum: ['auto', 'low', 'high'] },
    ...cacheHints,
  },
} as const satisfies Schema

// The types leave out the rule which member must hold the bytes.
const inputImage = { ...image, anyOf: [{ required: ['image_url'] }, { required: ['file_id'] }] } as const satisfies Schema
const inputFile = {
  ...file,
  oneOf: [{ required: ['file_data'] }, { required: ['file_url'] }, { required: ['file_id'] }],
} as const satisfies Schema

const outputText = {
  type: 'object',
  required: ['type', 'text'],
  properties: {
    type: { const: 'output_text' },
    text: string,
    annotations: { type: 'array', items: { type: 'object' } },
    logprobs: { type: 'array', items: { type: 'object' } },
    cache_control: cacheControlSchema,
  },
} as const satisfies Schema

const refusal = {
  type: 'object',
  required: ['type', 'refusal'],
  properties: { type: { const: 'refusal' }, refusal: string },
} as const satisfies Schema

/** The parts of a message. */
export const partSchema = {
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [inputText, inputImage, inputFile, outputText, refusal],
} as const satisfies Schema

/** The parts of an input message, a tool's output or a prompt variable. */
export const inputPartSchema = {
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [inputText, inputImage, inputFile],
} as const satisfies Schema

/**
 * Something with members that only the dialect of the caller knows: see `GenerationRequest.extra`. If they include a `type`, they are the
 * whole of it as sent, and what stands beside them is the nearest that other dialects have.
 */
export type WithExtra = {
  /** As the caller sent them. */
  readonly extra?: JsonObject
}

/** A part, item or tool that only the dialect of the caller knows. Other endpoints do not get it. */
export type Vendor = {
  readonly type: 'vendor'
  /** As the caller sent it, or the vendor. */
  readonly extra: JsonObject
}

/** Text of the caller, or of a tool. */
export type TextPart = Wire<typeof inputText> & WithExtra
/** An image, by address, `data:` URL or the id of a file: docs/protocol/items.md#content-parts. */
export type ImagePart = Wire<typeof image> & WithExtra
/** A file, such as a PDF. Exactly one of `file_data`, `file_url` and `file_id` is set. */
export type FilePart = Wire<typeof file> & WithExtra
/** A part of an input message or a tool's output: docs/protocol/items.md#content-parts. */
export type InputPart = TextPart | ImagePart | FilePart | Vendor
/** Text of the model, in a message of the assistant. */
export type OutputTextPart = Wire<typeof outputText> & WithExtra
/** The words with which the model declined to answer. */
export type RefusalPart = Wire<typeof refusal> & WithExtra
/** A part of a message: docs/protocol/items.md#content-parts. */
export type Part = InputPart | OutputTextPart | RefusalPart
