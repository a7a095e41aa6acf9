/** `/v1/models/**:id` as `/v1/models/{id}`, and the names of its parameters. */
export function pathOf(route: string): { readonly path: string; readonly parameters: readonly string[] } {
  const parameters: string[] = []
  const path = route.replaceAll(/(?:\*\*)?:(\w+)/g, (_, name: string) => {
    parameters.push(name)
    return `{${name}}`
  })
  return { path, parameters }
}
