import assert from 'node:assert/strict'
import wavefile from 'wavefile'
import { openTalker, type Talker, type TalkerOptions } from './talker.ts'

/** Calls in the browser, seen through the public API only. */
export interface VoiceApi {
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  send: (method: string, path: string, body?: object) => Promise<any>
  /** Creates an agent that follows a script. */
  addAgent: (script: object, fields?: object) => Promise<string>
  /** Begins a call that is recorded, and opens its socket. */
  talk: (agent_id: string, options?: Omit<TalkerOptions, 'url' | 'token'>) => Promise<Talker>
  /** The turns so far, oldest first. */
  turns: (call_id: string) => Promise<Turn[]>
  /** Waits until the call is final, and returns it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  untilEnded: (call_id: string) => Promise<any>
  /** Waits until its recording is ready. */
  readRecording: (call_id: string) => Promise<Recording>
  /** How many events of this type each call has. */
  countEvents: (type: string) => Promise<Map<string, number>>
}

export interface Turn {
  seq: number
  role: string
  text: string
  heard: string | null
  is_interrupted: boolean
}

/** The sound of a call, at 8 kHz. */
export interface Recording {
  contact: Int16Array
  agent: Int16Array
  duration_ms: number
}

const final = ['completed', 'failed', 'canceled']
const wait_max_ms = 90_000
const poll_every_ms = 100
const busy_max_ms = 30_000
const page_size = 100
export const recorded_rate = 8_000

/** `url` is a function, because a server that was started again may listen elsewhere. */
export function voiceApi(url: () => string, key: string): VoiceApi {
  const request = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${url()}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  const send: VoiceApi['send'] = async (method, path, body) => {
    const response = await until(`${method} ${path}`, busy_max_ms, async () => {
      const answered = await request(method, path, body).catch((error: unknown) => {
        // A server that restarts refuses connections. What was sent to it may have happened.
        if (method !== 'GET') throw error
        return undefined
      })
      return answered?.status === 503 ? undefined : answered
    })
    // Every answer of these operations is JSON.
    const answer = Object(await response.json())
    assert.ok(response.ok, `${method} ${path}: ${JSON.stringify(answer)}`)
    return answer.data
  }
  const get = (call_id: string) => send('GET', `/calls/${call_id}`)
  return {
    send,
    addAgent: async (script, fields) => {
      const agent = await send('POST', '/agents', { name: 'Office', voice: 'slt', script, ...fields })
      return agent.id
    },
    async talk(agent_id, options) {
      const { url: socket_url, token } = await send('POST', '/calls/web', { agent_id, is_test: true })
      return openTalker({ url: socket_url, token, ...options })
    },
    async turns(call_id) {
      const { conversation_id } = await get(call_id)
      return send('GET', `/conversations/${conversation_id}/turns?limit=100`)
    },
    untilEnded: (call_id) =>
      until(`${call_id} is final`, wait_max_ms, async () => {
        const call = await get(call_id)
        return final.includes(call.status) ? call : undefined
      }),
    async readRecording(call_id) {
      const response = await until(`${call_id} has a recording`, wait_max_ms, async () => {
        const { recording } = await get(call_id)
        assert.notEqual(recording.status, 'failed')
        assert.notEqual(recording.status, 'none')
        if (recording.status !== 'ready') return undefined
        const answered = await request('GET', `/calls/${call_id}/recording`)
        return answered.ok ? answered : undefined
      })
      return readWav(Buffer.from(await response.arrayBuffer()))
    },
    async countEvents(type) {
      const counts = new Map<string, number>()
      for (let offset = 0; ; offset += page_size) {
        const events = await send('GET', `/events?type=${type}&limit=${page_size}&offset=${offset}`)
        for (const { resource_id } of events) counts.set(resource_id, (counts.get(resource_id) ?? 0) + 1)
        if (events.length < page_size) return counts
      }
    },
  }
}

async function until<T>(description: string, wait_ms: number, find: () => Promise<T | undefined>): Promise<T> {
  const give_up_at = performance.now() + wait_ms
  for (;;) {
    const found = await find()
    if (found !== undefined) return found
    if (performance.now() > give_up_at) throw new Error(`not within ${wait_ms} ms: ${description}`)
    await new Promise((resolve) => setTimeout(resolve, poll_every_ms))
  }
}

function readWav(bytes: Buffer): Recording {
  const wav = new wavefile.WaveFile(bytes)
  const { numChannels, sampleRate } = Object(wav.fmt)
  assert.deepEqual([numChannels, sampleRate], [2, recorded_rate])
  wav.fromMuLaw()
  const [contact, agent] = wav.getSamples(false, Int16Array) as unknown as [Int16Array, Int16Array]
  return { contact, agent, duration_ms: (contact.length * 1_000) / recorded_rate }
}
