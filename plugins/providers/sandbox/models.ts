import type { CatalogEntry, CatalogSource, Capabilities } from '../../../core/index.ts'
import { efforts } from '../../../core/index.ts'

/*
 * The models of the sandbox. The same request always gets the same answer, whether it streams or not, and nothing leaves the gateway.
 *
 * All of them:
 * - count four characters as a token and 100 tokens for an image or a file, and cost $0.10 a million input tokens and $0.20 a million
 *   output tokens;
 * - stop with `length` at `max_output_tokens` or 16,384 tokens, and refuse more input than 128,000 tokens with `context_length_exceeded`;
 * - give log probabilities where `include` or `top_logprobs` asks for them.
 *
 * `echo`       Says the last user message again, a few words at a time; images and files stand in it as `[image]` and `[file NAME]`.
 *              With `text.format` it gives a valid instance of the schema, or `{"text": …}` for `json_object`. It calls tools only where
 *              `tool_choice` makes it. After a tool's output it answers `NAME returned: OUTPUT`, a line for each.
 *
 * `tools`      Calls each function and custom tool that `tool_choice` allows, once after each user message; one at a time where
 *              `parallel_tool_calls` is false. Arguments are a valid instance of `parameters`. After the outputs it answers as `echo` does.
 *
 * `reasoning`  Thinks before it answers as `echo` does: in its own words, in a summary, and with encrypted state. The effort says for how
 *              many steps: none 0, minimal and low 1, medium 2 (the default), high 3, xhigh 4, max 5. Given its state back, it begins the
 *              answer with `I remember turn 1.`, counting on with each turn. State that was changed is refused.
 *
 * `slow`       Waits. The last user message says how long: `{"firstMs":200,"betweenMs":50,"pieces":5}` (alone or within other text), or
 *              `first 200 between 50 pieces 5`. What is left out is 1000, 200 and 5. It says `Piece 1 of 5. Piece 2 of 5. …`; formats and
 *              forced tools are as with `echo`.
 *
 * `fail`       Fails. The last user message says how, as a JSON object (alone or within other text):
 *              - `status`: 400 to 599; and `kind`: invalid-request, not-found, auth, quota, rate-limit, overloaded, unavailable, timeout,
 *                network, protocol, refused or context-length. Either follows from the other.
 *              - `code`, `message` and `retryAfterMs`: more about the failure.
 *              - `after`: so many pieces of text come first.
 *              - `cut`: true ends the reply without saying why.
 *              - `refusal`: this text is given as a refusal, and the reply ends well.
 *              - `contentFilter`: true ends the reply as a content filter does.
 *              - `provider`: only the sandbox of this id fails, any other answers; for trying fallbacks between two sandboxes.
 *              A word does as well: a status, a kind, `cut`, `refusal` or `content-filter`. Anything else is answered with what can be asked.
 *
 * `dm`         Answers decisions, and only by its whole name: `sandbox/dm`. Its probabilities are made of the state and the question.
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

/** The models for a provider of this id. `auto` never chooses one of them. */
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
        capabilities: model === 'reasoning' ? { ...capabilities, efforts } : capabilities,
        zdr: false,
        hipaa: false,
      },
    ],
  }))
  return { name: provider, entries: () => entries }
}
