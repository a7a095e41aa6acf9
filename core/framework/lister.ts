/** Who lists a plugin, for messages. */
export function lister(preset: string | undefined): string {
  return preset === undefined ? 'the config' : `the preset ${preset}`
}
