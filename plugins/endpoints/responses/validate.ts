import { bodyValidator, requestSchema } from '../../../core/index.ts'

/** Throws the 400 for the first thing that is wrong. */
export const validateRequest = bodyValidator(requestSchema)
