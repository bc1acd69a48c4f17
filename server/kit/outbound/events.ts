import { letOthersRun } from '../let-others-run.ts'
import { ResponseTooLong } from './request.ts'

export interface EventLimits {
  events_max: number
  /** The length is in characters. */
  event_length_max: number
}

/** A server-sent event. */
export interface OutboundEvent {
  /** Empty if the server doesn't name it. */
  name: string
  data: string
}

/** All events together may have this many lines for each event. A line takes time even if it is empty. */
const lines_per_event_max = 8
/** This many bytes are read before other work of the process runs. */
const slice_bytes = 16 * 1024
const line_end = /\r\n|\n|\r/

/**
 * Reads server-sent events that have data, one by one. The last event needs no empty line after it. Other work of the
 * process runs meanwhile, however small the events are. Fails with an OutboundError when a limit is exceeded.
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  { events_max, event_length_max }: EventLimits,
): AsyncGenerator<OutboundEvent> {
  const decoder = new TextDecoder()
  const lines_max = events_max * lines_per_event_max
  let line_count = 0
  /** The line that has begun. It is only read when it ends, however many slices that takes. */
  let rest = ''
  /** The line feed of a CR LF may be in the next slice. */
  let carriage_return = ''
  let name = ''
  let data: string[] = []
  let length = 0
  let events = 0
  for await (const slice of readSlices(body)) {
    const text = carriage_return + decoder.decode(slice, { stream: true })
    carriage_return = text.endsWith('\r') ? '\r' : ''
    const [first = '', ...lines] = text.slice(0, text.length - carriage_return.length).split(line_end)
    lines.unshift(rest + first)
    rest = lines.pop() ?? ''
    line_count += lines.length
    if (line_count > lines_max) throw new ResponseTooLong(`The response has more than ${lines_max} lines.`)
    for (const line of lines) {
      if (line === '' && data.length > 0) {
        events += 1
        if (events > events_max) throw new ResponseTooLong(`The response has more than ${events_max} events.`)
        await letOthersRun({ is_urgent: true })
        yield { name, data: data.join('\n') }
        data = []
        length = 0
      } else if (isField(line, 'data')) {
        data.push(textOf(line, 'data'))
        length += line.length
      } else if (isField(line, 'event')) name = textOf(line, 'event')
      if (line === '') name = ''
      if (length > event_length_max) break
    }
    if (length + rest.length > event_length_max)
      throw new ResponseTooLong(`An event has more than ${event_length_max} characters.`)
  }
  if (isField(rest, 'data')) data.push(textOf(rest, 'data'))
  if (data.length > 0) yield { name, data: data.join('\n') }
}

const isField = (line: string, field: string): boolean => line.startsWith(`${field}:`) || line === field

const textOf = (line: string, field: string): string => line.slice(field.length + 1).replace(/^ /, '')

async function* readSlices(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body)
    for (let start = 0; start < chunk.length; start += slice_bytes) {
      await letOthersRun({ is_urgent: true })
      yield chunk.subarray(start, start + slice_bytes)
    }
}
