import { sealedColumns } from '../kit/crypto/reseal.ts'

export const sealed_columns = sealedColumns('integrations', ['token', 'signing_secret'])
