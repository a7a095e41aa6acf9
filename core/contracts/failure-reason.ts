import type { FailureReason } from '../foundation/failure-reason.ts'
import { recordFields } from './record-fields.ts'

export type { FailureReason }

/** Every kind of a reason. */
export const failureReasons: readonly FailureReason['kind'][] = recordFields.reason.choices
