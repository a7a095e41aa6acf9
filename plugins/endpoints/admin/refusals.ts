import { GatewayError } from '../../../core/index.ts'

/** For what does not exist, and for what belongs to an organization that the admin token may not see. */
export function notFound(noun: string, id: string): GatewayError {
  return new GatewayError({
    status: 404,
    type: 'invalid_request_error',
    code: 'not_found',
    message: `No ${noun} has the id "${withoutSecret(id).slice(0, 100)}".`,
    param: 'id',
  })
}

export function conflict(message: string, param?: string, code = 'conflict'): GatewayError {
  return new GatewayError({ status: 409, type: 'invalid_request_error', code, message, param })
}

export function forbidden(message: string): GatewayError {
  return new GatewayError({ status: 403, type: 'permission_error', code: 'role_not_sufficient', message })
}

/** A whole API key or admin token where an id belongs must not come back in an error. */
function withoutSecret(id: string): string {
  return id.replaceAll(/(t[pa]_[0-9a-z]{1,40})_[0-9A-Za-z_-]+/g, '$1_…')
}
