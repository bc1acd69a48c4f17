import { randomBytes } from 'node:crypto'
import path from 'node:path'
import * as channels from '../../../server/channels/store.ts'
import { readConfig } from '../../../server/config.ts'
import { atWall, inTransaction } from '../../../server/kit/at.ts'
import { openEmbedded } from '../../../server/kit/postgres/embedded/embedded.ts'
import { openPool, type Pool } from '../../../server/kit/postgres/pool.ts'
import { product } from '../../../server/product.ts'
import { openService } from '../../../server/service.ts'
import { account_sid, auth_token } from '../../peers/carrier.ts'
import { openPhoneNetwork, type PhoneNetwork } from '../../peers/phone.ts'
import type { Behaviour } from '../../peers/phone-behaviour.ts'
import { openEars } from '../../support/ears.ts'
import { ensureSpeech, speech_folder } from '../../support/speech.ts'
import { type VoiceApi, voiceApi } from '../../support/voice-calls.ts'
import type { Random } from '../random.ts'
import {
  checkout,
  findFreePort,
  makeTempFolder,
  newTenant,
  type Service,
  startService,
  type Tenant,
} from '../service.ts'
import type { World } from '../voice/world.ts'
import { openPhoneTalker, type PhoneTalker } from './talker.ts'

/** A service that telephones reach, and the peer that plays the telephone network. */
export interface PhoneWorld extends World {
  stack: AsyncDisposableStack
  network: PhoneNetwork
  api: PhoneApi
  pool: Pool
  tenant: Tenant
  /** The one at the address that the network knows. */
  service: Service
  /** Starts another process of the service, which the network doesn't know. */
  startOther: () => Promise<Service>
  /** The process that gets a stream or a question instead of the one at its address. */
  route: { streams: Service | undefined; questions: Service | undefined }
  /** Who is at the telephone that the service dials, by its number. */
  people: Map<string, Behaviour>
  postgres_dir: string
  addChannel: (fields: { agent_id: string; address?: string } & Record<string, unknown>) => Promise<Channel>
}

interface PhoneApi extends VoiceApi {
  /** Somebody calls a number where the agent answers. */
  talk: (agent_id: string, options?: TalkOptions) => Promise<PhoneTalker>
}

interface TalkOptions {
  noise_db?: number
  random?: Random
}

export type Channel = Awaited<ReturnType<typeof channels.create>>

export async function openPhoneWorld(stack: AsyncDisposableStack, random: Random): Promise<PhoneWorld> {
  await ensureSpeech()
  const ears = openEars()
  stack.defer(() => ears.close())
  const folder = makeTempFolder(stack, 'phone')
  const postgres_dir = path.join(folder, 'database')
  const postgres = await openEmbedded({
    checkout,
    name: product.short_name,
    data_dir: postgres_dir,
    as: 'serve',
    say() {},
  })
  stack.defer(() => postgres.close())
  const PORT = String(await findFreePort())
  const address = `http://127.0.0.1:${PORT}`
  const SECRETS_KEY = randomBytes(32).toString('base64')
  const environment = {
    DATABASE_URL: postgres.url,
    DATA_DIR: path.join(folder, 'data'),
    SECRETS_KEY,
    SPEECH_DIR: speech_folder,
    PUBLIC_URL: address,
    DRAIN_SECONDS: '0',
  }
  const service = await startService(stack, { ...environment, PORT })
  const pool = openPool({ url: postgres.url, size: 2, onError: () => {} })
  stack.defer(() => pool.close())
  const tenant = await newTenant(pool)
  const route: PhoneWorld['route'] = { streams: undefined, questions: undefined }
  const people: PhoneWorld['people'] = new Map()
  const network = await openPhoneNetwork({
    route(url) {
      const other = url.startsWith('ws') ? route.streams : route.questions
      return other ? url.replace(new URL(address).host, new URL(other.url).host) : url
    },
    personFor: (form) => people.get(form.get('To') ?? '') ?? {},
    transferFor: (to) => transfers[to.slice(-1)] ?? {},
  })
  stack.defer(() => network.close())
  const own = openService(pool, readConfig({ SECRETS_KEY }), () => '')
  let numbers = 0
  const addChannel: PhoneWorld['addChannel'] = (fields) => {
    numbers += 1
    const channel = {
      name: `Telephone ${numbers}`,
      kind: 'voice' as const,
      provider: 'twilio' as const,
      address: `+1415${5_000_000 + numbers}`,
      account_sid,
      auth_token,
      api_url: network.url,
      is_api_url_trusted: true,
      ...fields,
    }
    return inTransaction(atWall(own, tenant.workspace), (at) => channels.create(at, channel))
  }
  const http = voiceApi(() => address, tenant.key)
  await http.send('PATCH', '/workspace', { settings: { calls_in_flight_max: 100 } })
  const by_agent = new Map<string, Channel>()
  const api: PhoneApi = {
    ...http,
    async talk(agent_id, { noise_db } = {}) {
      const channel = by_agent.get(agent_id) ?? (await addChannel({ agent_id }))
      by_agent.set(agent_id, channel)
      const phone = network.call({
        from: `+1212${5_000_000 + network.calls.length}`,
        to: channel.address ?? '',
        webhook_url: `${address}/phone/${channel.id}`,
        ...(noise_db !== undefined && { noise_db }),
      })
      return openPhoneTalker(phone)
    },
  }
  return {
    stack,
    network,
    api,
    ears,
    random,
    pool,
    tenant,
    service,
    async startOther() {
      const port = await findFreePort()
      const other = await startService(stack, { ...environment, PORT: String(port) })
      // It says the address that the network knows.
      return { ...other, url: `http://127.0.0.1:${port}` }
    },
    route,
    people,
    postgres_dir,
    addChannel,
  }
}

/** How a number takes a transfer, by its last digit. */
const transfers: Record<string, ReturnType<NonNullable<PhoneNetwork['options']['transferFor']>>> = {
  '1': { takes: 'answers', after_ms: 500, talk_ms: 1_000 },
  '2': { takes: 'busy', after_ms: 500 },
  '3': { takes: 'no_answer', after_ms: 2_000 },
  '4': { takes: 'fails' },
}
