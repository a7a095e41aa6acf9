/** The address of a model below the API's version: `models/…` unless the name says that it is a tuned one. */
export function modelPath(name: string): string {
  const [, kind = 'models', id = name] = /^(models|tunedModels)\/(.*)$/s.exec(name) ?? []
  return `${kind}/${encodeURIComponent(id)}`
}
