import { bodyValidator } from '../../../core/kit.ts'
import { requestBodySchema } from './request-body.ts'

/** Throws a 400 for the first problem. */
export const validateRequest = bodyValidator(requestBodySchema)
