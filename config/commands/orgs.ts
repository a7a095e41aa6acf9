import { accountsCommand } from '../admin/accounts.ts'

export default accountsCommand('orgs')
