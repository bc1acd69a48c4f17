import { sealedColumns } from '../kit/crypto/reseal.ts'

/** The order matters: a rotation moves `secret` to `previous_secret`, where it is found later. */
export const sealed_columns = sealedColumns('webhooks', ['secret', 'previous_secret'])
