/** The parts of a provider's name for a model. */
export interface Spelling {
  /** The model's own name in lowercase, without maker, region, host and the host's revision. */
  readonly name: string
  /** `name` in a form that all its spellings share. */
  readonly key: string
  /** `key` without the date. */
  readonly undated: string
  /** Such as 20250929. Undefined if the name has no date. */
  readonly date: string | undefined
  /** The maker as the provider spells it. */
  readonly maker: string | undefined
  /** The Amazon Bedrock region to which the name is bound. */
  readonly region: string | undefined
}

const bedrockRegion = /^(us|eu|apac|au|ca|in|jp|us-gov|global)\./

/** Suffixes for how a host serves a model, if it serves the model in only one way. */
const servings: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  cerebras: [[/^(llama-?3\.\d-\d+b)$/, '$1-instruct']],
  cloudflare: [[/-(fp8(-fast)?|awq)$/, '']],
  'cloudflare-ai-gateway': [[/-(fp8(-fast)?|awq)$/, '']],
  groq: [[/-(versatile|instant)$/, '-instruct']],
  together: [[/-(turbo|fp8|tput|lite)$/, '']],
  vercel: [[/^(llama-3\.\d-\d+b)$/, '$1-instruct']],
}

export function spellingOf(provider: string, wire: string): Spelling {
  const region = provider === 'bedrock' ? bedrockRegion.exec(wire)?.[1] : undefined
  const [maker, rest] = split(provider, region === undefined ? wire : wire.slice(region.length + 1))
  let name = rest.toLowerCase()
  for (const [pattern, replacement] of servings[provider] ?? []) name = name.replace(pattern, replacement)
  const bare = name.replace(
    /^(openai|google|zai-org|z-ai|zai|nvidia|mistralai|anthropic|meta)-(?=(gpt|gemma|glm|nemotron|llama|mistral|claude))/,
    '',
  )
  const [stem, date] = dated(bare)
  const undated = keyOf(stem)
  return { name: bare, key: date === undefined ? undated : `${undated}-${date}`, undated, date, maker, region }
}

function split(provider: string, id: string): readonly [maker: string | undefined, name: string] {
  if (provider === 'bedrock' || provider === 'bedrock-mantle') {
    const [, maker, name] = /^([a-z0-9]+)\.(.+)$/.exec(id) ?? [undefined, undefined, id]
    const plain = name!.replace(/-v\d+(:\d+)?(:\d+k)?$|-\d:\d$/, '')
    return [maker, maker === 'deepseek' ? `deepseek-${plain}` : plain]
  }
  if (provider === 'vertex') return [undefined, id.replace(/@default$/, '').replace('@', '-')]
  if (provider === 'fireworks') return ['fireworks', id.replace(/^accounts\/[^/]+\/(models|routers)\//, '').replace(/(?<=\d)p(?=\d)/g, '.')]
  const path = id
    .replace(/^(~|hf:|workers-ai\/|@cf\/)+/, '')
    .replace(/^@cf\//, '')
    .split('/')
  const [maker] = path
  // The provider's own router, or a serving mode that is part of the product.
  if (path.length !== 2 || maker === provider || maker === 'TEE') return [path.length > 1 ? maker : undefined, path.join('/')]
  return [maker, path[1]!]
}

function dated(name: string): readonly [stem: string, date: string | undefined] {
  const match = /^(.*?)-(20\d\d)-?([01]\d)-?([0-3]\d)(?=$|[:-])(.*)$/.exec(name)
  const cohere = /^(command-.*)-([01]\d)-(20\d\d)$/.exec(name)
  if (cohere) return [cohere[1]!, `${cohere[3]}${cohere[2]}01`]
  if (!match) return [name, undefined]
  const [, stem, year, month, day, rest] = match
  return [`${stem}${rest}`, `${year}${month}${day}`]
}

/** Treats dots, dashes and underscores as equal. A family and its number may be written together. */
function keyOf(name: string): string {
  return name
    .replace(/[._\s]/g, '-')
    .replace(/^(llama|qwen|glm|gemma|phi|hermes|mistral|grok|gpt|claude)(?=\d)/, '$1-')
    .replace(/^meta-(?=llama)/, '')
    .replace(/^claude-(\d(?:-\d)?)-(sonnet|opus|haiku)(?=$|[-:])/, (_, version: string, size: string) =>
      version.startsWith('3') ? `claude-${version}-${size}` : `claude-${size}-${version}`,
    )
    .replace(/^(claude-(?:sonnet|opus)-4)-0(?=$|:)/, '$1')
}
