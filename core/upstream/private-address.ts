const privateCode = 'TURNPIKE_PRIVATE_ADDRESS'

/** The error of a connection that would lead into a private network. */
export function privateAddress(): Error {
  return Object.assign(new Error('the name leads to a private address'), { code: privateCode })
}

/** True if a connection failed because its address is not on the public internet. */
export function isPrivateAddress(error: unknown): boolean {
  return error instanceof Error && ((error as { code?: unknown }).code === privateCode || isPrivateAddress(error.cause))
}
