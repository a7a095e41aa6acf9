import type { Draft } from './draft.ts'

/** spec.md, `text`: a `json_schema` for a model without it becomes `json_object`, and the schema a system prompt. */
export function lowerFormat(_draft: Draft): void {}
