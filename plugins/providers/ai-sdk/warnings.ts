import type { Warning } from './specification.ts'

/** The callers' names for the specification's settings. */
const members: Readonly<Record<string, string>> = {
  maxOutputTokens: 'max_output_tokens',
  topP: 'top_p',
  topK: 'top_k',
  stopSequences: 'stop',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  responseFormat: 'text.format',
  toolChoice: 'tool_choice',
  reasoning: 'reasoning.effort',
}

const longest = 200

/** A package's warning about what it left out or changed. */
export function warningFrom(warning: Warning): { readonly param: string; readonly message: string } {
  switch (warning.type) {
    case 'unsupported-setting':
      return named(String(warning.setting), warning.details)
    case 'unsupported-tool':
      return named('tools', warning.details)
    case 'unsupported':
    case 'compatibility':
      return named(warning.feature, warning.details)
    case 'deprecated':
      return named(warning.setting, warning.message)
    case 'other':
      return named('input', warning.message)
  }
}

function named(name: string, message = 'is not supported by this provider and was left out'): { param: string; message: string } {
  return { param: members[name] ?? name, message: message.slice(0, longest) }
}
