import { bodyValidator, requestSchema } from '../../../core/index.ts'

/** Throws a 400 for the first problem. */
export const validateRequest = bodyValidator(requestSchema)
