import type { AdminServices } from '../../contracts/admin-route.ts'
import { token } from '../../foundation/token.ts'

/** What the composition root makes for the admin routes. */
export const AdminServicesToken = token<AdminServices>('admin-services')
