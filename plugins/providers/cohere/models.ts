/** What requests to a model may contain. */
export interface ModelTraits {
  readonly thinking: boolean
  /** Tool calls can be held to their schemas. */
  readonly strictTools: boolean
}

/** By model name, first match wins; what is newer than this table is taken to have everything. Sources: "Reasoning", "Structured Outputs". */
const rows: readonly (readonly [RegExp, ModelTraits])[] = [
  [/command-a-(03|vision|translate)/, { thinking: false, strictTools: false }],
  [/command-a-reasoning/, { thinking: true, strictTools: false }],
  [/command-(r|light|nightly)|^command$|aya/, { thinking: false, strictTools: true }],
]

/** A fine-tuned model or a deployment may hide the model behind an id: then the canonical name tells. */
export function traitsOf({ upstreamModel, model }: { readonly upstreamModel: string; readonly model: string }): ModelTraits {
  const row = rows.find(([pattern]) => pattern.test(upstreamModel)) ?? rows.find(([pattern]) => pattern.test(model))
  return row?.[1] ?? { thinking: true, strictTools: true }
}
