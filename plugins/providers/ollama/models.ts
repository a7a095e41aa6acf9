/** "Thinking": these models take a level, others only on or off. */
export function takesLevels({ upstreamModel, model }: { readonly upstreamModel: string; readonly model: string }): boolean {
  return /gpt-?oss/i.test(upstreamModel) || /gpt-?oss/i.test(model)
}
