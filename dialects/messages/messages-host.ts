import type { JsonObject, ProviderCall } from '../../core/index.ts'
import type { ProviderAdapter } from '../../core/kit.ts'
import type { Departures } from '../host/departures.ts'
import type { HostPlace } from '../host/host-place.ts'
import type { MessagesTraits } from './traits.ts'

/** The members at the top of a request, by the names that `renamed` changes. */
export const messagesMembers = [
  'cache_control',
  'max_tokens',
  'messages',
  'metadata',
  'model',
  'output_config',
  'service_tier',
  'stop_sequences',
  'stream',
  'system',
  'temperature',
  'thinking',
  'tool_choice',
  'tools',
  'top_k',
  'top_p',
] as const
/** A member at the top of a request, by its name in Messages. */
export type MessagesMember = (typeof messagesMembers)[number]

/** Members that a host may reject. */
export const messagesUnsupported = ['cache_control', 'metadata', 'service_tier', 'stop_sequences', 'temperature', 'top_k', 'top_p'] as const
/** For `MessagesHost.without`. */
export type MessagesUnsupported = (typeof messagesUnsupported)[number]

/** A host of the Messages protocol: its address, and how it departs from Anthropic's documentation. Paths in it are dotted. */
export interface MessagesHost extends HostPlace, Departures {
  /** Members that have another name here. */
  readonly renamed?: { readonly [N in MessagesMember]?: string }
  /** Members that the host rejects. They are not sent, and callers who set them are warned. */
  readonly without?: readonly MessagesUnsupported[]
  /** The dated version of the API, in the header `anthropic-version`. Default: `2023-06-01`. */
  readonly version?: string
  /** Beta features to enable, in the header `anthropic-beta`. */
  readonly betas?: readonly string[]
  /** The abilities of models, by the first pattern that matches a model's name in lower case. What a row leaves out is as in the early form of the dialect. */
  readonly traits?: readonly (readonly [name: RegExp, traits: Partial<MessagesTraits>])[]
  /** The output limit if neither the caller nor the catalog sets one, because the protocol requires one. Default: that of the traits. */
  readonly defaultMaxTokens?: number
  /** False: no messages of the role `system` in mid-conversation, whatever the model. */
  readonly systemTurns?: false
  /** `inline`: the host does not fetch the addresses of images and files, so the gateway does. */
  readonly media?: NonNullable<ProviderAdapter['media']>
  /** The address of a request, for hosts that name the model in it. Default: `baseUrl` and `path`. */
  readonly url?: (call: ProviderCall) => string
  /** Puts version and betas elsewhere than into headers. */
  readonly envelope?: (body: JsonObject, version: string, betas: readonly string[]) => Envelope
}

/** Headers and body of a request, in their place. */
export interface Envelope {
  /** Added to those of the request. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body: object
}
