import { hosts } from '../../plugins/providers/openai-chat/hosts.ts'

/** Providers by the name that a source has for them, where it is not the one used here. */
const renamed: Readonly<Record<string, string>> = {
  'alibaba-token-plan-cn': 'alibaba-token-plan',
  'amazon-bedrock': 'bedrock',
  aws: 'bedrock',
  'azure-openai': 'azure',
  'cloudflare-workers-ai': 'cloudflare',
  coreweave: 'wandb',
  'fireworks-ai': 'fireworks',
  google: 'gemini',
  'google-vertex': 'vertex',
  'gmi-cloud': 'gmicloud',
  inference: 'inference-net',
  'io-net': 'io-intelligence',
  moonshotai: 'moonshot',
  'moonshotai-cn': 'moonshot-cn',
  'nano-gpt': 'nanogpt',
  'novita-ai': 'novita',
  'opencode-zen': 'opencode',
  'snowflake-cortex': 'snowflake',
  togetherai: 'together',
  'vercel-ai-gateway': 'vercel',
  'wafer-serverless': 'wafer',
  'x-ai': 'xai',
}

/** Back ends of editors and of subscriptions, which sell no requests to a gateway; engines on the user's own machine; search engines. */
const left: ReadonlySet<string> = new Set([
  'alibaba-coding-plan',
  'alibaba-token-plan',
  'cline-pass',
  'commandcode',
  'cursor',
  'devin',
  'firepass',
  'github-copilot',
  'gitlab-duo',
  'gitlab-duo-agent',
  'google-antigravity',
  'google-gemini-cli',
  'kimi-code',
  'kimi-coding',
  'local',
  'lmstudio',
  'minimax-code',
  'minimax-code-cn',
  'muse-code',
  'openai-codex',
  'opencode-go',
  'qwen-portal',
  'radius',
  'qwen-token-plan',
  'qwen-token-plan-cn',
  'qwen-token-plan-individual',
  'qwen-token-plan-individual-cn',
  'typesafe',
  'umans',
  'web',
  'xai-oauth',
  'xiaomi-token-plan-ams',
  'xiaomi-token-plan-cn',
  'xiaomi-token-plan-sgp',
  'yolo-auto',
  'zai-coding-cn',
  'zhipu-coding-plan',
])

/** The provider's slug here; undefined where its models are left out. */
export function slugOf(name: string): string | undefined {
  return left.has(name) ? undefined : (renamed[name] ?? name)
}

const native = ['anthropic', 'azure', 'bedrock', 'cohere', 'gemini', 'mistral', 'openai', 'vertex'] as const

/** Providers that a plugin of this repository serves. */
export const served: ReadonlySet<string> = new Set([...native, ...Object.keys(hosts)])

/** Sell what others make: listed behind the makers. */
export const resellers: ReadonlySet<string> = new Set([
  'aimlapi',
  'cloudflare-ai-gateway',
  'helicone',
  'huggingface',
  'kilo',
  'llmgateway',
  'nanogpt',
  'opencode',
  'openrouter',
  'poe',
  'requesty',
  'vercel',
  'zenmux',
])
