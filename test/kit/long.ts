/** True if this is `npm run test:long`: what guards against rare drift is checked at its full length. */
export const isLong = process.env['TURNPIKE_TEST_LONG'] === '1'
