import { hosts } from '../../plugins/providers/openai-chat/hosts.ts'

/** Maps a source's name for a provider to the slug used here, if they differ. */
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

/** Not for a gateway: back ends of editors and subscriptions, local engines, search engines. */
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

/** The provider's slug in this project. Undefined if its models are left out. */
export function slugOf(name: string): string | undefined {
  return left.has(name) ? undefined : (renamed[name] ?? name)
}

const native = ['anthropic', 'azure', 'bedrock', 'cohere', 'gemini', 'mistral', 'openai', 'vertex'] as const

/** Providers that have a plugin in this repository. */
export const served: ReadonlySet<string> = new Set([...native, ...Object.keys(hosts)])

/** Resell other makers' models. Listed after the makers. */
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
