import type {
  LanguageModelV2CallOptions,
  LanguageModelV2Message,
  LanguageModelV2ToolResultOutput,
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3ToolResultOutput,
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider'

// Converts requests to older versions of the specification. Skips what the prompt never holds: files and custom parts of the
// assistant, references to files, approvals.

export function asV3(options: LanguageModelV4CallOptions): LanguageModelV3CallOptions {
  const { reasoning: _, prompt, ...same } = options
  return { ...same, prompt: prompt.map(message => older<LanguageModelV3Message>(message, outputV3)) } as LanguageModelV3CallOptions
}

export function asV2(options: LanguageModelV4CallOptions): LanguageModelV2CallOptions {
  const { reasoning: _, prompt, tools, ...same } = options
  const loose = tools?.map(tool => {
    if (tool.type !== 'function') return tool
    const { strict: _strict, ...rest } = tool
    return rest
  })
  return {
    ...same,
    prompt: prompt.map(message => older<LanguageModelV2Message>(message, outputV2)),
    ...(loose && { tools: loose }),
  } as LanguageModelV2CallOptions
}

/** A message with flat files and the older form of tool results. */
function older<T>(message: LanguageModelV4Message, outputOf: (output: LanguageModelV4ToolResultOutput) => object): T {
  return { ...message, content: contentOf(message, outputOf) } as T
}

function contentOf(message: LanguageModelV4Message, outputOf: (output: LanguageModelV4ToolResultOutput) => object): unknown {
  if (message.role === 'user') return message.content.map(part => (part.type === 'file' ? { ...part, data: dataOf(part.data) } : part))
  if (message.role !== 'tool') return message.content
  return message.content.flatMap(part => (part.type === 'tool-result' ? { ...part, output: outputOf(part.output) } : []))
}

function dataOf(data: LanguageModelV4FilePart['data']): string | URL {
  return data.type === 'url' ? data.url : data.type === 'data' && typeof data.data === 'string' ? data.data : ''
}

function outputV3(output: LanguageModelV4ToolResultOutput): LanguageModelV3ToolResultOutput {
  if (output.type !== 'content') return output
  return {
    type: 'content',
    value: output.value.flatMap(part => {
      if (part.type !== 'file') return part
      const { mediaType, filename } = part
      const data = String(dataOf(part.data))
      return mediaType.startsWith('image/')
        ? { type: 'image-data' as const, data, mediaType }
        : { type: 'file-data' as const, data, mediaType, ...(filename !== undefined && { filename }) }
    }),
  }
}

function outputV2(output: LanguageModelV4ToolResultOutput): LanguageModelV2ToolResultOutput {
  if (output.type !== 'content') return output as LanguageModelV2ToolResultOutput
  return {
    type: 'content',
    value: output.value.flatMap(part => {
      if (part.type === 'text') return { type: 'text' as const, text: part.text }
      return part.type === 'file' ? { type: 'media' as const, data: String(dataOf(part.data)), mediaType: part.mediaType } : []
    }),
  }
}
