/** "Thinking": models that are told a level, where others only know on and off. */
export function takesLevels({ upstreamModel, model }: { readonly upstreamModel: string; readonly model: string }): boolean {
  return /gpt-?oss/i.test(upstreamModel) || /gpt-?oss/i.test(model)
}
