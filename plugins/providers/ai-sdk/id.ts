/** A slug from the package name: `groq` of `@ai-sdk/groq`, `openrouter` of `@openrouter/ai-sdk-provider`, `ollama` of `ollama-ai-provider-v2`. */
export function idOf(packageName: string): string {
  const [last = '', scope] = packageName
    .replace(/\.\w+$/, '')
    .split('/')
    .reverse()
  const ownName = last.replace(/^ai-sdk-provider$|^ai-sdk-|-ai(-sdk)?(-provider)?(-v\d+)?$/g, '')
  return (ownName || scope || last).replace(/^@/, '')
}
