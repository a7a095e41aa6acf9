// What the admin API needs of h3: see core/http/h3.ts.

export { H3, toNodeHandler } from '../h3.ts'
