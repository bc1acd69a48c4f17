import { membersOf } from '../kit/json.ts'
import { type OutboundEvent, readEvents } from '../kit/outbound/events.ts'
import { assertFewValues } from '../kit/outbound/json-limits.ts'
import { type ProviderError, parseJson, toProviderError } from './provider-error.ts'
import type { LanguageKind } from './schema.ts'
import { withCounts } from './usage.ts'

const limits = { events_max: 20_000, event_length_max: 256 * 1024 }
const done = '[DONE]'
const no_event: OutboundEvent = { name: '', data: '' }
/** Quotes within texts are escaped, so these match names of members only. */
const error_member = /"error"\s*:/
const finish_member = /"finish_reason"\s*:\s*"/
const finish = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })

interface AnswerOptions {
  kind: LanguageKind
  api_key: string
}

/**
 * Returns the events of a streamed answer, as the SDK expects them. Fails with a ProviderError when one of them is an error, and
 * with an OutboundError when there are too many. `[DONE]` ends an answer, also without a reason to finish.
 */
export function readAnswer(body: ReadableStream<Uint8Array>, { kind, api_key }: AnswerOptions) {
  const reader = body.getReader()
  const events = readEvents(chunksOf(reader), limits)
  const encoder = new TextEncoder()
  let is_finished = false
  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const send = (data: string) => controller.enqueue(encoder.encode(`data: ${data.replaceAll('\n', '\ndata: ')}\n\n`))
    try {
      const { value: { name, data } = no_event, done: is_over } = await events.next()
      const is_done = data === done
      if (is_done && !is_finished && kind === 'openai_compatible') send(finish)
      if (is_over || is_done) controller.close()
      if (is_done) void drain(events)
      if (is_over || is_done) return
      assertFewValues(data)
      if (name === 'error') throw toError(data, api_key)
      is_finished ||= finish_member.test(data)
      const event = error_member.test(data) ? withoutError(data, api_key) : data
      send(withCounts(event, kind))
    } catch (error) {
      // The body may have failed already, which is reported elsewhere.
      void reader.cancel().catch(() => {})
      // If the answer is complete, only the end of the response is missing.
      if (is_finished) controller.close()
      else throw error
    }
  }
  return new ReadableStream<Uint8Array>({ pull, cancel: () => reader.cancel() }, { highWaterMark: 0 })
}

async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
}

/** Reads the end of the response, so that the connection can be used again. The limits of the response bound it. */
async function drain(events: AsyncGenerator<OutboundEvent>): Promise<void> {
  // The answer is complete, so it doesn't matter how the response ends.
  for (let is_over = false; !is_over; ) is_over = (await events.next().catch(() => ({ done: true }))).done === true
}

/** Makes the error of an event with the name `error`, which may have the members of an error itself, or be text. */
function toError(data: string, api_key: string): ProviderError {
  const value = parseJson(data)
  return toProviderError({ status: 200, value: value instanceof Object ? value : { error: data }, api_key })
}

/** Some servers send an error in each event, which is null, false or empty. The SDK reports what is no JSON. */
function withoutError(data: string, api_key: string): string {
  const { error, ...event } = membersOf(parseJson(data))
  if (error === undefined) return data
  if (error) throw toProviderError({ status: 200, value: { error }, api_key })
  return JSON.stringify(event)
}
