import type { Readable } from 'node:stream'
import fastJson from 'fast-json-stringify'
import { type TSchema, Type } from 'typebox'
import { pageSchema } from '../postgres/page.ts'
import type { Problem } from '../problem.ts'
import { etagOf, hashOf } from './etag.ts'
import type { Operation } from './operation.ts'

/** What goes back over the wire, and what an idempotency key keeps. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

/** The same for a file that is sent as it is made. */
export interface StreamedAnswer extends Omit<Answer, 'body'> {
  body: Readable
}

export const envelopeOf = ({ is_list, response }: Operation): TSchema =>
  is_list ? pageSchema(response) : Type.Object({ success: Type.Literal(true), data: response })

/** A deletion answers with nothing of the resource. */
export const showsResource = ({ response }: Operation): boolean => 'id' in Object(Object(response).properties)

/** Puts what an operation gave into its envelope. Only what the schema declares goes out. */
export function envelope(operation: Operation, base: string): (result: unknown) => Answer {
  const { is_list, status, path, method, state } = operation
  const shows_resource = showsResource(operation)
  const collection = path.replace(/\/:.*/, '')
  const stringify = fastJson(JSON.parse(JSON.stringify(envelopeOf(operation))))
  if (is_list) return (page) => ({ status, headers: {}, body: stringify({ success: true, ...Object(page) }) })
  return (data) => {
    const headers: Record<string, string> = {}
    const body = stringify({ success: true, data })
    if (state && shows_resource) headers.etag = etagOf(state(data))
    else if (method === 'GET') headers.etag = etagOf(hashOf(body))
    if (status === 201) headers.location = `${base}${collection}/${Object(data).id}`
    return { status, headers, body }
  }
}

export function failure({ code, message, details, headers, status }: Problem, request_id: string): Answer {
  const error = { code, message, details: { ...details, request_id } }
  return { status, headers, body: JSON.stringify({ success: false, error }) }
}
