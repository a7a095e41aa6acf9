import type { JsonObject } from '../../../../core/index.ts'
import { foreignItemTypes } from '../../../../core/kit.ts'
import { constant, count, list, number, object, oneOf, ref, string, union } from './terms.ts'

// Items of `output`, in progress and finished: docs/protocol/items.md#content-parts and docs/protocol/items.md#output-items.

const status = oneOf('in_progress', 'completed', 'incomplete')
const topLogProb = object({ token: string, logprob: number, bytes: list(count) })
const logProb = object({ token: string, logprob: number, bytes: list(count), top_logprobs: list(topLogProb) })

const action = {
  anyOf: [
    object(
      { type: constant('search'), query: string, sources: list(object({ type: constant('url'), url: string })) },
      { queries: list(string) },
    ),
    object({ type: constant('open_page') }, { url: string }),
    object({ type: constant('find_in_page'), url: string, pattern: string }),
  ],
}

const searchResult = object({ url: string }, { title: string, text: string })

export const outputItemSchemas: Readonly<Record<string, JsonObject>> = {
  LogProb: logProb,
  Annotation: {
    anyOf: [
      object({ type: constant('url_citation'), url: string, title: string, start_index: count, end_index: count }),
      object({ type: constant('file_citation'), file_id: string, filename: string, index: count }),
      object({
        type: constant('container_file_citation'),
        container_id: string,
        file_id: string,
        filename: string,
        start_index: count,
        end_index: count,
      }),
    ],
  },
  OutputText: object({ type: constant('output_text'), text: string, annotations: list(ref('Annotation')), logprobs: list(ref('LogProb')) }),
  Refusal: object({ type: constant('refusal'), refusal: string }),
  ReasoningText: object({ type: constant('reasoning_text'), text: string }),
  SummaryText: object({ type: constant('summary_text'), text: string }),
  ...union('OutputItem', {
    OutputMessage: object(
      {
        type: constant('message'),
        id: string,
        status,
        role: constant('assistant'),
        content: list({ anyOf: [ref('OutputText'), ref('Refusal')] }),
      },
      { phase: oneOf('commentary', 'final_answer') },
    ),
    FunctionCall: object(
      { type: constant('function_call'), id: string, call_id: string, name: string, arguments: string, status },
      { namespace: string },
    ),
    CustomToolCall: object(
      { type: constant('custom_tool_call'), id: string, call_id: string, name: string, input: string, status },
      { namespace: string },
    ),
    Reasoning: object(
      { type: constant('reasoning'), id: string, status, summary: list(ref('SummaryText')) },
      { content: list(ref('ReasoningText')), encrypted_content: string },
    ),
    WebSearchCall: object(
      { type: constant('web_search_call'), id: string, status: oneOf('in_progress', 'searching', 'completed', 'failed'), action },
      { results: list(searchResult) },
    ),
    Compaction: object({ type: constant('compaction'), id: string, encrypted_content: string }),
    ForeignOutputItem: {
      ...object({ type: { type: 'string', examples: foreignItemTypes }, id: string }),
      description: 'An item of a tool that is neither a function nor a custom tool. It appears only if you sent such a tool.',
    },
  }),
}
