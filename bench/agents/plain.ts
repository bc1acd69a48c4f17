import { randomUUIDv7 } from 'node:crypto'
import fastify from 'fastify'
import pg from 'pg'

/** A handler written by hand that answers every message with the same words. No keys, limits, validation or leases. */
export interface Settings {
  database_url: string
  workspace_id: string
  /** How many turns each conversation has at first. */
  turns: number
}

/** Like the table of events, but without readers, which would take time from the other server. */
export const plain_events = 'create table plain_events (like events including all)'
export const answer_text = 'We are open from nine to six, Monday to Friday. Anything else?'

/** The same as Parley. */
const pool_size = 10

const text = { type: 'string' }
const turn = { type: 'object', properties: { seq: { type: 'integer' }, role: text, text, created_at: text } }
const one = { type: 'object', properties: { success: { type: 'boolean' }, data: turn } }

async function serve({ database_url, workspace_id, turns }: Settings): Promise<void> {
  const pool = new pg.Pool({ connectionString: database_url, max: pool_size, idleTimeoutMillis: 0 })
  const app = fastify()
  const seqs = new Map<string, number>()

  app.post<{ Params: { id: string }; Body: { text: string } }>(
    '/api/v1/conversations/:id/messages',
    { schema: { response: { 201: one } } },
    async ({ params: { id }, body }, reply) => {
      const seq = (seqs.get(id) ?? turns) + 1
      seqs.set(id, seq + 1)
      const created_at = new Date().toISOString()
      const question = { seq, role: 'contact', text: body.text, created_at }
      const answer = { seq: seq + 1, role: 'agent', text: answer_text, created_at }
      const client = await pool.connect()
      try {
        await client.query('begin')
        await client.query({
          name: 'turns',
          text: `insert into conversation_turns (workspace_id, conversation_id, seq, role, text, created_at)
            values ($1, $2, $3, 'contact', $4, $7), ($1, $2, $5, 'agent', $6, $7)`,
          values: [workspace_id, id, question.seq, question.text, answer.seq, answer.text, created_at],
        })
        await client.query({
          name: 'events',
          text: `insert into plain_events (workspace_id, id, type, resource_id, data, created_at)
            values ($1, $2, 'conversation.turn', $4, $5, $7), ($1, $3, 'conversation.turn', $4, $6, $7)`,
          values: [
            workspace_id,
            randomUUIDv7(),
            randomUUIDv7(),
            id,
            JSON.stringify({ id, turn: question }),
            JSON.stringify({ id, turn: answer }),
            created_at,
          ],
        })
        await client.query('commit')
      } finally {
        client.release()
      }
      return reply.code(201).send({ success: true, data: question })
    },
  )

  console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
}

process.once('message', (settings: Settings) => void serve(settings))
process.on('disconnect', () => process.exit())
