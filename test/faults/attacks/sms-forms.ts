import assert from 'node:assert/strict'
import * as channels from '../../../server/channels/store.ts'
import { readConfig } from '../../../server/config.ts'
import { atWall, inTransaction } from '../../../server/kit/at.ts'
import { openService } from '../../../server/service.ts'
import { readSecretsKeys } from '../../../server/start/secrets-key.ts'
import { account_sid, auth_token } from '../../peers/carrier.ts'
import { inboundForm, own_number, signatureOf } from '../../support/sms.ts'
import { openClient } from '../client.ts'
import { withEmbeddedPool } from '../service.ts'
import type { Attack, AttackWorld } from './attack.ts'

const at_once = { long: 100, short: 10 }
const rounds = { long: 5, short: 1 }
const form_bytes = 64_000
/** It has the length of a signature. */
const no_signature = 'A'.repeat(28)

/** Forms that take long to parse, or to sort. */
const forms: [string, string][] = [
  ['as many parameters as fit', 'a&'.repeat(form_bytes / 2)],
  ['one name with as many values as fit', Array.from({ length: 8_000 }, (_, index) => `a=${index}`).join('&')],
  ['200 long parameters', Array.from({ length: 200 }, () => '%61'.repeat(100)).join('&')],
  ['one parameter of escapes', '%61'.repeat(form_bytes / 3)],
  ['one parameter of spaces', '+'.repeat(form_bytes)],
]

export const attack: Attack = {
  name: 'forms without a signature at the URL of a carrier',
  async run(world) {
    const { is_long } = world
    const inbound_url = await newChannel(world)
    for (const [name, body] of forms) {
      for (let round = 0; round < (is_long ? rounds.long : rounds.short); round += 1) {
        const unsigned = Array.from({ length: is_long ? at_once.long : at_once.short }, () =>
          post(inbound_url, body, no_signature),
        )
        const form = inboundForm('Hello')
        const signed = post(inbound_url, new URLSearchParams(form).toString(), signatureOf(inbound_url, form))
        for (const status of await Promise.all(unsigned)) assert.ok([403, 413].includes(status), `${name}: ${status}`)
        assert.equal(await signed, 200, `${name}: a message of the carrier is accepted meanwhile`)
      }
    }
  },
}

async function post(url: string, body: string, signature: string): Promise<number> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature }
  const response = await fetch(url, { method: 'POST', headers, body })
  await response.text()
  return response.status
}

async function newChannel({ url, data_dir, attacker }: AttackWorld): Promise<string> {
  const client = openClient(url, attacker.key)
  const { body } = await client.call('POST', '/agents', { name: 'Texts', greeting: 'Hello' })
  client.close()
  const config = readConfig({ DATA_DIR: data_dir })
  const { id } = await withEmbeddedPool(data_dir, (pool) => {
    const service = openService(pool, { ...config, ...readSecretsKeys(config) }, () => '')
    return inTransaction(atWall(service, attacker.workspace), (at) =>
      channels.create(at, {
        name: 'Attacked',
        kind: 'sms',
        provider: 'twilio',
        address: own_number,
        agent_id: body.data.id,
        account_sid,
        auth_token,
        api_url: 'http://127.0.0.1:9',
        is_api_url_trusted: true,
      }),
    )
  })
  return `${url}/sms/${id}`
}
