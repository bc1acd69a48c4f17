import type { RawData, WebSocket } from 'ws'
import type { ClaimedCall } from '../../calls/claim.ts'
import { parseSocketToken } from '../../calls/claim.ts'
import { isEndedOrHeld } from '../../calls/rows.ts'
import * as channels from '../../channels/store.ts'
import { type AtOutside, atLater, atWorkspace, type Service } from '../../kit/at.ts'
import type { Upgrade } from '../../kit/http/app.ts'
import type { Log } from '../../kit/log.ts'
import { isUnavailable } from '../../kit/postgres/errors.ts'
import type { LiveSockets, Opener } from '../live-sockets.ts'
import { cleaned, parse, request } from './rest.ts'
import { closing, type FromTwilio, parseMessage } from './stream.ts'
import * as twiml from './twiml.ts'
import { type Detour, TwilioWire } from './wire.ts'

/** This is larger than all messages of Twilio. */
const message_bytes_max = 16 * 1024
const start_within_ms = 5_000
/** This many messages wait until a call is taken: more than the keys that someone presses meanwhile. */
const waiting_max = 50

type Start = Extract<FromTwilio, { event: 'start' }>

/** The sockets of calls by telephone: Twilio's Media Streams. */
export function openPhoneSockets(sockets: LiveSockets, { service, log }: { service: Service; log: Log }): Upgrade {
  const { upgrade, unproven, calls, drive } = sockets.openServer<TwilioWire>({
    message_bytes_max,
    accept,
    refuse: (socket) => unproven.close(socket, closing.busy),
  })

  /**
   * Takes a new stream. Twilio sends `connected` and `start`. Messages after these wait until the call is taken, except
   * sound.
   */
  function accept(socket: WebSocket, _opener: Opener): void {
    const timer = setTimeout(() => unproven.close(socket, closing.invalid), start_within_ms)
    const messages: FromTwilio[] = []
    let is_started = false
    const onMessage = (data: RawData, is_binary: boolean) => {
      if (socket.readyState !== socket.OPEN) return
      const message = is_binary ? undefined : parseMessage(data)
      if (is_started && message && message.event !== 'media' && messages.length < waiting_max) messages.push(message)
      if (is_started || message?.event === 'connected') return
      clearTimeout(timer)
      if (message?.event !== 'start') {
        // Messages after this one are not parsed, and begin nothing.
        socket.off('message', onMessage)
        return unproven.close(socket, closing.invalid)
      }
      is_started = true
      unproven.beginCheck(socket)
      begin(socket, message, { messages, release: () => socket.off('message', onMessage) }).catch((error: unknown) => {
        if (!isUnavailable(error)) log.error({ err: error }, 'a call by telephone could not be connected')
        unproven.close(socket, closing.failed)
      })
    }
    socket.once('close', () => clearTimeout(timer))
    socket.on('message', onMessage)
  }

  /** Takes the call by its token, whatever process drives it. If this process does, its wire gets the socket. */
  async function begin(
    socket: WebSocket,
    { token: text, sid, after }: Start,
    { messages, release }: { messages: FromTwilio[]; release: () => void },
  ): Promise<void> {
    const token = parseSocketToken(text)
    if (!token) return unproven.close(socket, closing.refused)
    const at = await atWorkspace(service, token.workspace)
    const known = calls.get(token.call_id)
    const held = known && !known.wire.is_over ? known : undefined
    const attach = (wire: TwilioWire) => {
      release()
      unproven.remove(socket)
      wire.attach(socket, { sid, after: afterOf(after), messages })
    }
    const outcome = await drive(at, {
      line: 'phone',
      id: token.call_id,
      token: token.hash,
      next_token: null,
      origin: null,
      held,
      after: afterOf(after),
      connect(claimed) {
        const wire = new TwilioWire({ now: () => at.now, update: (detour) => update(at, claimed, detour) })
        attach(wire)
        return wire
      },
    })
    if (outcome === 'held' && held) return attach(held.wire)
    if (outcome === 'busy') unproven.close(socket, closing.busy)
    if (outcome === 'refused') unproven.close(socket, closing.refused)
  }

  /** Has Twilio do something other than streaming with the call. Never rejects. */
  async function update(at: AtOutside, call: ClaimedCall, detour: Detour): Promise<'done' | 'refused' | 'unknown'> {
    const { id: call_id, channel_id, carrier_id } = call
    const warn = (reason: unknown) =>
      log.warn({ call_id, workspace_id: at.workspace, reason }, 'the carrier could not be asked')
    try {
      const channel = channel_id === null ? undefined : await channels.find(at, channel_id)
      if (!channel || carrier_id === null) return 'refused'
      // The agent would answer the call again, and transfer it again, without an end.
      if (detour.type === 'transfer' && detour.to === channel.address) return 'refused'
      // Another process may have taken the call, and talk in it.
      if (detour.type === 'hang_up' && !(await isEndedOrHeld(at, call))) return 'refused'
      const on_channel = { channel_id: channel.id, call_id }
      const body = new URLSearchParams({ Twiml: instructionsFor(at, on_channel, detour) })
      // Without a stream, only this callback tells that the caller has hung up. Calls that we have dialled are reported
      // anyway.
      if (call.direction === 'inbound') {
        body.set('StatusCallback', twiml.statusUrl(at.tools.address(), on_channel))
        body.set('StatusCallbackMethod', 'POST')
      }
      const path = `Calls/${carrier_id}.json`
      const response = await request(atLater(at), channel, { method: 'POST', path, body: body.toString() })
      if (response.status === 200) return 'done'
      const { message } = parse(response.body)
      warn(`${response.status}${typeof message === 'string' ? `: ${cleaned(message)}` : ''}`)
      return response.status >= 400 && response.status < 500 ? 'refused' : 'unknown'
    } catch (error) {
      warn(error instanceof Error ? error.message : error)
      return 'unknown'
    }
  }

  return upgrade
}

const afterOf = (after: string | undefined): twiml.After | undefined =>
  after === 'digits' || after === 'transfer' ? after : undefined

function instructionsFor({ tools }: AtOutside, call: { channel_id: string; call_id: string }, detour: Detour): string {
  const urlAfter = (after: twiml.After | 'answered') => twiml.callUrl(tools.address(), { ...call, after })
  switch (detour.type) {
    case 'digits':
      return twiml.pressDigits(detour.digits, urlAfter('digits'))
    case 'transfer':
      return twiml.dial(detour.to, { next_url: urlAfter('transfer'), answered_url: urlAfter('answered') })
    case 'hang_up':
      return twiml.hangUp()
  }
}
