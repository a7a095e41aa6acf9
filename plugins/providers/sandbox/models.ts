import type { Capabilities, CatalogEntry, CatalogSource } from '../../../core/index.ts'
import { efforts } from '../../../core/kit.ts'

/*
 * The sandbox models. The same request always gets the same answer, streamed or not, and nothing leaves the gateway.
 *
 * All of them:
 * - count four characters as a token, and an image or a file as 100 tokens;
 * - cost $0.10 per million input tokens and $0.20 per million output tokens;
 * - stop with `length` at `max_output_tokens` or 16,384 tokens, and refuse more than 128,000 input tokens with `context_length_exceeded`;
 * - return log probabilities if `include` or `top_logprobs` asks for them.
 *
 * `echo`       Repeats the last user message, a few words at a time, with images and files as `[image]` and `[file NAME]`. With
 *              `text.format` it returns a valid instance of the schema, or `{"text": …}` for `json_object`. It calls tools only if
 *              `tool_choice` forces it to. After tool outputs it answers `NAME returned: OUTPUT`, one line for each. It gives several
 *              choices in one reply; the other models give one at a time.
 *
 * `tools`      Calls each function and custom tool that `tool_choice` allows, once after each user message, and one at a time if
 *              `parallel_tool_calls` is false. Arguments are a valid instance of `parameters`,
 *              with the last user message as `query` if that is any text. After the outputs it answers as `echo` does.
 *
 * `reasoning`  Thinks, then answers as `echo` does. Emits full reasoning, a summary and encrypted state. The effort sets the number of
 *              steps: none 0, minimal and low 1, medium 2 (the default), high 3, xhigh 4, max 5. If it gets its state back, it starts the
 *              answer with `I remember turn 1.`, and counts up with each turn. It refuses state that was changed.
 *
 * `slow`       Waits. The last user message says how long: `{"firstMs":200,"betweenMs":50,"pieces":5}` (alone or within other text), or
 *              `first 200 between 50 pieces 5`. The defaults are 1000, 200 and 5. It answers `Piece 1 of 5. Piece 2 of 5. …`. Formats and
 *              forced tools work as in `echo`.
 *
 * `fail`       Fails. The last user message says how, as a JSON object (alone or within other text):
 *              - `status`: 400 to 599; and `kind`: invalid-request, not-found, auth, quota, rate-limit, overloaded, unavailable, timeout,
 *                network, protocol, refused or context-length. Either follows from the other.
 *              - `code`, `message` and `retryAfterMs`: more about the failure.
 *              - `after`: the number of pieces of text to send first.
 *              - `cut`: true ends the reply without a finish reason.
 *              - `refusal`: sends this text as a refusal, and ends the reply normally.
 *              - `contentFilter`: true ends the reply as a content filter does.
 *              - `provider`: only the sandbox with this id fails. Use it to try fallbacks between two sandboxes.
 *              A single word also works: a status, a kind, `cut`, `refusal` or `content-filter`. Anything else returns a manual.
 *
 * `dm`         Makes decisions, under its full name `sandbox/dm` only. Its probabilities depend on the state and the question.
 *
 * `embed`      Makes embeddings, under its full name `sandbox/embed` only: texts with the same words are near each other.
 *
 * `rerank`     Reranks, under its full name `sandbox/rerank` only, by the words that a document shares with the query.
 */
const modelNames = ['echo', 'tools', 'reasoning', 'slow', 'fail'] as const
export type ModelName = (typeof modelNames)[number]

export function isModelName(name: string): name is ModelName {
  return modelNames.some(each => each === name)
}

const capabilities: Capabilities = {
  tools: true,
  parallelTools: true,
  customTools: true,
  namespaceTools: true,
  allowedTools: true,
  structuredOutput: 'json_schema',
  efforts: ['none'],
  verbosity: true,
  temperature: true,
  images: true,
  files: true,
  logprobs: true,
  contextManagement: false,
  webSearch: false,
}

/** 2025-01-01: the models do not age. */
export const created = 1_735_689_600

/** The models for a provider with this id. `auto` never chooses them. */
export function sandboxModels(provider: string): CatalogSource {
  const entries = modelNames.map((model): CatalogEntry => ({
    model,
    created,
    ownedBy: 'turnpike',
    auto: false,
    endpoints: [
      {
        provider,
        upstreamModel: model,
        contextWindow: 128_000,
        maxOutputTokens: 16_384,
        price: { input: 0.1, output: 0.2 },
        capabilities: { ...capabilities, ...(model === 'reasoning' && { efforts }), ...(model === 'echo' && { choices: true }) },
        zdr: false,
        hipaa: false,
      },
    ],
  }))
  return { name: provider, entries: () => entries }
}
