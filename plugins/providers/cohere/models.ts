/** The features that requests to a model may use. */
export interface ModelTraits {
  readonly thinking: boolean
  /** True if the vendor can enforce the schemas of tool calls. */
  readonly strictTools: boolean
}

/** By model name, first match wins. Newer models are assumed to support everything. Sources: "Reasoning", "Structured Outputs". */
const rows: readonly (readonly [RegExp, ModelTraits])[] = [
  [/command-a-(03|vision|translate)/, { thinking: false, strictTools: false }],
  [/command-a-reasoning/, { thinking: true, strictTools: false }],
  [/command-(r|light|nightly)|^command$|aya/, { thinking: false, strictTools: true }],
]

/** If the id of a fine-tuned model or a deployment does not identify the model, the canonical name does. */
export function traitsOf({ upstreamModel, model }: { readonly upstreamModel: string; readonly model: string }): ModelTraits {
  const row = rows.find(([pattern]) => pattern.test(upstreamModel)) ?? rows.find(([pattern]) => pattern.test(model))
  return row?.[1] ?? { thinking: true, strictTools: true }
}
