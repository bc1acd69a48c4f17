import { addRecordedCall, type RecordedCall } from '../../support/recorded-calls.ts'
import { withEmbeddedPool } from '../service.ts'
import type { AttackWorld } from './attack.ts'

/** Adds a call of the attacker that has ended, and returns its URL. */
export async function addCall({ url, data_dir, attacker }: AttackWorld, fields: RecordedCall): Promise<string> {
  const calls = `${url}/api/v1/calls`
  const tenant = { id: attacker.workspace, call }
  return `${calls}/${await withEmbeddedPool(data_dir, (pool) => addRecordedCall(pool, tenant, fields))}`

  async function call(method: string, path: string, body: unknown) {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${attacker.key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
  }
}
