import { sealedColumns } from '../kit/crypto/reseal.ts'

export const sealed_columns = sealedColumns('channels', ['auth_token'])
