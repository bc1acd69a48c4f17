import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { between, seeded } from '../faults/random.ts'

/** A carrier with the part of Twilio's API that is used for SMS and for looking up numbers. It outlives the server, and keeps a log. */

export interface Carried {
  sid: string
  to: string
  from: string
  body: string
  status: string
  date_created: string
  status_callback: string
}

/** A number of the account, with the settings that Twilio's console shows. */
export interface IncomingNumber {
  phone_number: string
  capabilities: { voice: boolean; sms: boolean; mms: boolean; fax: boolean }
  voice_url: string | null
  voice_method: string
  voice_application_sid: string | null
  trunk_sid: string | null
}

/** What happens to a message instead of being accepted. */
export type Trouble =
  | { status: number; code?: number; message?: string }
  /** Accepts it and ends the connection without an answer. */
  | 'accepted_without_answer'
  /** Ends the connection, and knows nothing of the message. */
  | 'reset'

export interface CarrierOptions {
  port?: number
  auth_token?: string
  /** Each accepted message is appended as a line of JSON. */
  log?: string
  troubleFor?: (form: URLSearchParams) => Trouble | undefined
  /** What happens to a request for numbers instead of an answer. */
  number_trouble?: Trouble | undefined
  /** Milliseconds. It answers at once without it. */
  answerAfter?: () => number
}

export interface FakeCarrier {
  url: string
  messages: Carried[]
  numbers: IncomingNumber[]
  options: CarrierOptions
  close: () => Promise<void>
}

export const account_sid = `AC${'0a'.repeat(16)}`
export const auth_token = 'carrier-token'

const account_path = `/2010-04-01/Accounts/${account_sid}`
const path = `${account_path}/Messages`

export async function openCarrier(options: CarrierOptions = {}): Promise<FakeCarrier> {
  const messages: Carried[] = []
  const numbers: IncomingNumber[] = []
  const token = options.auth_token ?? auth_token
  const authorization = `Basic ${Buffer.from(`${account_sid}:${token}`).toString('base64')}`
  const server = http.createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  )

  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://carrier')
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.headers.authorization !== authorization)
      return void send(401, { code: 20003, message: 'Authenticate', status: 401 })
    if (request.method === 'POST' && url.pathname === `${path}.json`) {
      const form = new URLSearchParams(await text(request))
      const trouble = options.troubleFor?.(form)
      if (trouble === 'reset') return void request.socket.destroy()
      if (typeof trouble === 'object')
        return void send(trouble.status, { code: trouble.code, message: trouble.message ?? 'No' })
      const carried = accept(form)
      if (trouble === 'accepted_without_answer') return void request.socket.destroy()
      if (options.answerAfter) await sleep(options.answerAfter())
      return void send(201, resource(carried))
    }
    if (request.method === 'GET' && url.pathname === `${path}.json`) {
      const { searchParams: query } = url
      const wanted = messages.filter(
        ({ to, from, date_created }) =>
          (query.get('To') ?? to) === to &&
          (query.get('From') ?? from) === from &&
          Date.parse(date_created) >= Date.parse(query.get('DateSent>') ?? '1970-01-01'),
      )
      return void send(200, { messages: wanted.map(resource), next_page_uri: null, page: 0, page_size: 1000 })
    }
    if (request.method === 'GET' && url.pathname === `${account_path}/IncomingPhoneNumbers.json`) {
      const { number_trouble: trouble } = options
      if (typeof trouble === 'object') return void send(trouble.status, { code: trouble.code, message: 'No' })
      if (trouble) return void request.socket.destroy()
      // Twilio also finds numbers that contain the wanted one.
      const wanted = numbers.filter(({ phone_number }) =>
        phone_number.includes(url.searchParams.get('PhoneNumber') ?? ''),
      )
      const page = { next_page_uri: null, page: 0, page_size: 50 }
      return void send(200, { incoming_phone_numbers: wanted.map(numberResource), ...page })
    }
    const one = messages.find(({ sid }) => url.pathname === `${path}/${sid}.json`)
    if (one && request.method === 'GET') return void send(200, resource(one))
    send(404, { code: 20404, message: 'Not found', status: 404 })
  }

  function accept(form: URLSearchParams): Carried {
    const carried = {
      sid: `SM${randomBytes(16).toString('hex')}`,
      to: form.get('To') ?? '',
      from: form.get('From') ?? '',
      body: form.get('Body') ?? '',
      status: 'queued',
      date_created: new Date().toUTCString(),
      status_callback: form.get('StatusCallback') ?? '',
    }
    messages.push(carried)
    if (options.log) fs.appendFileSync(options.log, `${JSON.stringify(carried)}\n`)
    return carried
  }

  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    messages,
    numbers,
    options,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const resource = ({ status_callback: _, ...message }: Carried) => ({
  ...message,
  account_sid,
  direction: 'outbound-api',
  error_code: null,
  error_message: null,
  num_segments: '1',
  num_media: '0',
  price: null,
  price_unit: 'USD',
  date_sent: message.date_created,
  date_updated: message.date_created,
  uri: `${path}/${message.sid}.json`,
})

const numberResource = (number: IncomingNumber) => ({
  ...number,
  sid: `PN${'0'.repeat(32)}`,
  account_sid,
  friendly_name: number.phone_number,
  origin: 'twilio',
  status: 'in-use',
  voice_receive_mode: 'voice',
  voice_fallback_url: '',
  voice_fallback_method: 'POST',
  status_callback: '',
  status_callback_method: 'POST',
  api_version: '2010-04-01',
  beta: false,
  date_created: 'Tue, 03 Nov 2026 09:00:00 +0000',
  date_updated: 'Tue, 03 Nov 2026 09:00:00 +0000',
  uri: `${account_path}/IncomingPhoneNumbers/PN${'0'.repeat(32)}.json`,
})

const slow_max_ms = 150
const shares = { accepted_without_answer: 0.05, reset: 0.02 }

/** `node test/peers/carrier.ts --port 9000 --log FILE --seed 1` prints its URL. It answers late, and sometimes not at all. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      log: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  })
  const random = seeded(Number(values.seed))
  const carrier = await openCarrier({
    port: Number(values.port),
    ...(values.log !== undefined && { log: values.log }),
    answerAfter: () => between(random, 0, slow_max_ms),
    troubleFor() {
      const draw = random()
      if (draw < shares.accepted_without_answer) return 'accepted_without_answer'
      return draw < shares.accepted_without_answer + shares.reset ? 'reset' : undefined
    },
  })
  console.log(carrier.url)
}

if (import.meta.main) {
  // It ends with the process that started it.
  process.on('disconnect', () => process.exit())
  await main()
}
