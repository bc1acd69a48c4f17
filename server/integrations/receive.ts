import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isSecret } from '../kit/crypto/secret.ts'
import { signatureFault } from '../kit/crypto/signing.ts'
import { assertNotTooDeep, parseJsonBody } from '../kit/http/body/read-json.ts'
import type { RequestHead } from '../kit/http/door.ts'
import { isJsonType } from '../kit/http/headers.ts'
import type { Caller } from '../kit/http/operation.ts'
import type { RawAnswer, RawRequest } from '../kit/http/raw.ts'
import { newId } from '../kit/id.ts'
import { openTokenLookup } from '../kit/limits/token-lookup.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalidState, notFound, Problem, unsupportedMediaType } from '../kit/problem.ts'
import * as receipts from './receipts.ts'
import type { Received } from './schema.ts'
import * as integrations from './store.ts'
import { toReasons, upsert } from './upsert.ts'

const webhook_id_length_max = 255
const secret_unreadable = 'The signing secret of this integration was encrypted with another SECRETS_KEY. Set it again.'

/** Identifies the integration by the token in its URL. */
export function identifyIntegration(db: Db): (head: RequestHead, now: number) => Promise<Caller> {
  const find = openTokenLookup<{ token: string }, integrations.Owner>((wanted) =>
    integrations.findByTokens(
      { db },
      wanted.map(({ token }) => token),
    ),
  )
  return async ({ params: { token = '' } }, now) => {
    const found = isSecret(token) ? await find({ token }, now) : undefined
    if (!found) throw notFound()
    const { integration_id: id, workspace_id: workspace, is_test } = found
    const actor = { type: 'integration', id }
    return { id, workspace, scopes: { has: () => false, is_open: false }, authenticated_by: 'token', actor, is_test }
  }
}

/** Writes the contact, its CRM ids, the events and a receipt. A refused message leaves only a receipt. */
export async function receiveMessage(
  at: At,
  { id, request }: { id: string; request: RawRequest },
): Promise<RawAnswer | Problem> {
  const integration = await integrations.lockShared(at, id)
  if (integration.status === 'disabled') throw integrationDisabled()
  const receipt_id = newId()
  const refuse = async (problem: Problem, contact_id: string | null = null, payload?: unknown) => {
    const receipt = { id: receipt_id, outcome: 'refused' as const, reasons: toReasons(problem), contact_id, payload }
    await receipts.record(at, { integration_id: id, ...receipt })
    return withReceipt(problem, receipt_id)
  }

  let message: Message
  try {
    message = verifyMessage(at, integration, request)
  } catch (error) {
    if (error instanceof Problem) return refuse(error)
    throw error
  }
  const { webhook_id, payload } = message
  if (webhook_id !== undefined) {
    const first = await firstReceipt(at, { integration_id: id, webhook_id, receipt_id })
    if (first !== receipt_id) return answer({ receipt_id: first, outcome: 'repeated', contact_id: null })
  }

  const upserted = await upsert(at, { payload, mapping: integration })
  if (upserted.problem) {
    // The message id is forgotten, so that the sender may send it again after the field map is corrected.
    if (webhook_id !== undefined) await deleteMessageId(at, { integration_id: id, webhook_id })
    return refuse(upserted.problem, upserted.contact_id, payload)
  }
  const { outcome, contact_id } = upserted
  await receipts.record(at, { integration_id: id, id: receipt_id, outcome, reasons: [], contact_id, payload })
  return answer({ receipt_id, outcome, contact_id })
}

export const integrationDisabled = (): Problem => invalidState('This integration is disabled.')

export const withReceipt = ({ code, message, details, headers }: Problem, receipt_id: string): Problem =>
  new Problem(code, message, { ...details, receipt_id }, headers)

const answer = (data: Received): RawAnswer => ({ status: 200, body: { success: true, data } })

interface Message {
  payload: unknown
  webhook_id: string | undefined
}

/** Verifies the signature and parses the JSON. Throws a Problem when the message is refused. */
function verifyMessage(
  { tools: { seal } }: At,
  { signing_secret }: integrations.StoredIntegration,
  { headers, bytes }: RawRequest,
): Message {
  const sent = (name: string) => headers[name] ?? []
  const header = (name: string) => (sent(name).length === 1 ? (sent(name)[0] ?? '') : '')
  const webhook_id = header('webhook-id').slice(0, webhook_id_length_max + 1)
  if (signing_secret !== null) {
    const message = {
      id: webhook_id,
      timestamp: header('webhook-timestamp'),
      signatures: sent('webhook-signature').join(' '),
    }
    const secret = integrations.openSealed(seal, signing_secret)
    if (secret === undefined) throw new Problem('UNAUTHORIZED', secret_unreadable)
    const fault = signatureFault(secret, { ...message, body: bytes }, clock.wall())
    if (fault !== undefined) throw new Problem('UNAUTHORIZED', fault)
  }
  if (!isJsonType(header('content-type')) || sent('content-encoding').some((coding) => coding !== 'identity')) {
    throw unsupportedMediaType()
  }
  const payload = parseJsonBody(bytes)
  assertNotTooDeep(payload)
  return { payload, webhook_id: signing_secret === null ? undefined : webhook_id }
}

/** Returns the receipt of the first message with this id. Waits for a concurrent one to commit. */
async function firstReceipt(
  { db, workspace, now }: At,
  { integration_id, webhook_id, receipt_id }: { integration_id: string; webhook_id: string; receipt_id: string },
): Promise<string> {
  await db.run(
    sql`insert into integration_messages (workspace_id, integration_id, webhook_id, receipt_id, received_at)
      values (${workspace}, ${integration_id}, ${webhook_id}, ${receipt_id}, ${clock.iso(now)}) on conflict do nothing`,
  )
  const first = await db.one<{ receipt_id: string }>(
    sql`select receipt_id from integration_messages
      where workspace_id = ${workspace} and integration_id = ${integration_id} and webhook_id = ${webhook_id}`,
  )
  return first.receipt_id
}

const deleteMessageId = (
  { db, workspace }: At,
  { integration_id, webhook_id }: { integration_id: string; webhook_id: string },
): Promise<number> =>
  db.run(
    sql`delete from integration_messages
      where workspace_id = ${workspace} and integration_id = ${integration_id} and webhook_id = ${webhook_id}`,
  )
