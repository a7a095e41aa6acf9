// The lists of fields that the server uses, too. Nothing else of the server is known here.

export { accountFields, accountFieldsAt, type ShownAccount } from '../../../../core/contracts/account-fields.ts'
export type { Shown, ShownName, Stored } from '../../../../core/contracts/field-types.ts'
export { fieldsOf, shownName, type Field, type Fields } from '../../../../core/contracts/fields.ts'
export { keyFields, type ShownKey, type ShownLimit } from '../../../../core/contracts/key-fields.ts'
export { recordFields, recordFilters, type ShownRecord, type ShownUsage } from '../../../../core/contracts/record-fields.ts'
