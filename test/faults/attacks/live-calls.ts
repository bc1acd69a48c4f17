import assert from 'node:assert/strict'
import * as channels from '../../../server/channels/store.ts'
import { readConfig } from '../../../server/config.ts'
import { atWall, inTransaction } from '../../../server/kit/at.ts'
import { openService } from '../../../server/service.ts'
import { newProvider } from '../../support/samples.ts'
import { openVoiceClient, type VoiceClient } from '../../support/voice-client.ts'
import { openClient } from '../client.ts'
import { newTenant, type Tenant, withEmbeddedPool } from '../service.ts'
import type { Attack, AttackWorld } from './attack.ts'

/** More than a process drives. */
const calls = 60
/** Fewer than may be open without a token. */
const sockets_at_once = 5
/** Of the 50 with providers. */
const reserved = 12

/** Takes as many live calls as there are, and holds them. */
export const attack: Attack = {
  name: 'one workspace takes all live calls',
  async run(world) {
    const { stack, data_dir, attacker, print } = world
    const other = await withEmbeddedPool(data_dir, newTenant)
    const [place, placeOther] = [await openTalker(world, attacker), await openTalker(world, other)]
    const places = await Promise.all(Array.from({ length: calls }, place))
    const taken: VoiceClient[] = []
    for (let index = 0; index < calls; index += sockets_at_once)
      for (const client of await Promise.all(
        places.slice(index, index + sockets_at_once).map((one) => open(stack, one)),
      ))
        if (client) taken.push(client)
    print(`of ${calls} sockets of one workspace ${taken.length} are connected`)
    assert.equal(taken.length, 50 - reserved)
    const client = await open(stack, await placeOther())
    assert.ok(client, 'another workspace has no line')
    for (const { send } of [...taken, client]) send({ type: 'end' })
    await Promise.all([...taken, client].map(({ closed }) => closed))
  },
}

export type Place = Pick<Parameters<typeof openVoiceClient>[0], 'url' | 'token'>

/** Opens the socket of a call, and ends it with the attack. */
export function openSocket(stack: AsyncDisposableStack, place: Place): VoiceClient {
  const client = openVoiceClient(place, { is_live: false })
  // One that is not open yet fails when it ends.
  client.socket.on('error', () => {})
  stack.defer(() => client.socket.terminate())
  return client
}

/** Undefined if the line is busy. */
export async function open(stack: AsyncDisposableStack, place: Place): Promise<VoiceClient | undefined> {
  const client = openSocket(stack, place)
  return client.next('ready').then(
    () => client,
    () => undefined,
  )
}

interface Talker {
  provider?: object
  model?: string
  /** With the provider. */
  speaks?: boolean
  greeting?: string
}

/** A workspace with a voice channel, whose agent says nothing and hears with a provider that is never asked, unless they are given. */
export async function openTalker(
  { stack, url, data_dir }: AttackWorld,
  tenant: Tenant,
  { provider = { base_url: 'http://127.0.0.1:9' }, model, speaks = false, greeting }: Talker = {},
): Promise<() => Promise<Place>> {
  const { call, close } = openClient(url, tenant.key)
  stack.defer(close)
  const post = async (path: string, body: object) => {
    const { status, body: answered } = await call('POST', `/api/v1${path}`, body)
    assert.equal(status, 201, JSON.stringify(answered))
    return answered.data
  }
  const { name } = await post('/providers', newProvider(provider))
  const speech = { listen: { provider: name, model }, ...(speaks && { speak: { provider: name } }) }
  const { id: agent_id } = await post('/agents', { name: 'Listener', greeting, speech })
  await withEmbeddedPool(data_dir, (pool) => {
    const service = openService(pool, readConfig({ DATA_DIR: data_dir }), () => '')
    return inTransaction(atWall(service, tenant.workspace), (at) =>
      channels.create(at, { name: 'Talk', kind: 'voice', provider: 'web', agent_id }),
    )
  })
  return () => post('/calls/web', { agent_id })
}
