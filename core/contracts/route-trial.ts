import type { JsonObject } from '../foundation/json.ts'
import type { EndpointKind } from './catalog.ts'

/** How the playground sends requests to a route, and finds the text in what comes back. */
export interface RouteTrial {
  /** In kebab-case, the last part of its path in the admin API: `messages` is `POST /admin/v1/playground/messages`. */
  readonly name: string
  /** The name in the dashboard, such as `Messages`. */
  readonly title: string
  /** The kind of models that it asks. */
  readonly kind: EndpointKind | 'generation'
  /** A body that most models answer, without `model`. */
  readonly example: JsonObject
  /**
   * Where requests go, if not to the path of the route, such as `/v1/models/{model}:generate?alt=sse`. The model takes the place of
   * `{model}`, percent-encoded, and is then not in the body.
   */
  readonly path?: string
  /** Where an answer has its text, such as `choices.*.delta.content`: in the data of an event, or in the whole body. `*`: every entry. */
  readonly texts?: readonly string[]
  /** Where it has the thoughts of the model, likewise. */
  readonly thoughts?: readonly string[]
}
