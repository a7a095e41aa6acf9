/** The names of `gen_ai.provider.name` that differ from the usual names of providers here. */
const known: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  vertex: 'gcp.vertex_ai',
  xai: 'x_ai',
}

export function providerName(provider: string): string {
  return Object.hasOwn(known, provider) ? known[provider]! : provider
}
