/** Such as "openai/gpt-5". The names of some models begin with their provider. */
export function endpointName(provider: string, model: string): string {
  return model.startsWith(`${provider}/`) ? model : `${provider}/${model}`
}
