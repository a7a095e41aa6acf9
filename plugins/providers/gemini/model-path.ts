/** The path of a model after the API version: `models/…`, unless the name starts with `tunedModels/`. */
export function modelPath(name: string): string {
  const [, kind = 'models', id = name] = /^(models|tunedModels)\/(.*)$/s.exec(name) ?? []
  return `${kind}/${encodeURIComponent(id)}`
}
