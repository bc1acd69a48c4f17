import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { newAgent } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'

const server = await serve()
const tenant = await server.workspace()

async function newVoiceChannel(of: Tenant, agent: object, origins: string[] = []): Promise<string> {
  const agent_id = await newAgent(of, agent)
  return (await of.addChannel({ name: 'Voice', kind: 'voice', provider: 'web', agent_id, origins })).id
}

const bodyOf = (text: string): string => /<body[^>]*>/.exec(text)?.[0] ?? ''

test('pages of any origin can import the module and its worklet', async () => {
  for (const [path, type] of Object.entries({
    '/voice.js': 'text/javascript; charset=utf-8',
    '/voice-worklet.js': 'text/javascript; charset=utf-8',
    '/voice.d.ts': 'text/plain; charset=utf-8',
  })) {
    const { status, headers, text } = await server.fetch('GET', path)
    assert.equal(status, 200, path)
    assert.deepEqual(
      ['content-type', 'access-control-allow-origin', 'cross-origin-resource-policy', 'cache-control'].map((name) =>
        headers.get(name),
      ),
      [type, '*', 'cross-origin', 'public, max-age=300'],
    )
    assert.ok(text.length > 1_000, path)
    const known = { 'if-none-match': headers.get('etag') ?? '' }
    assert.equal((await server.fetch('GET', path, undefined, known)).status, 304)
  }
})

test('the module loads its worklet from beside it, and exports two functions', async () => {
  const { text } = await server.fetch('GET', '/voice.js')
  assert.match(text, /voice-worklet\.js/)
  assert.match(text, /export ?\{[^}]*connect[^}]*findObstacle[^}]*\}/)
})

test('the page has a strict policy, and may use the microphone', async () => {
  const origins = ['https://example.com']
  const id = await newVoiceChannel(tenant, { greeting: 'Hello.' }, origins)
  const { status, headers, text } = await server.fetch('GET', `/voice/${id}`)
  assert.equal(status, 200)
  assert.equal(
    headers.get('content-security-policy'),
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
      "frame-ancestors 'self' https://example.com; base-uri 'none'; form-action 'none'",
  )
  assert.equal(headers.get('permissions-policy'), 'microphone=(self)')
  assert.doesNotMatch(text, /<script>|<style|\son\w+=|\sstyle=/)
  assert.match(text, /An AI assistant answers/)
  const files = Array.from(text.matchAll(/\.\/(assets\/[^"]+)/g), ([, name]) => `/voice/${name}`)
  assert.ok(files.length >= 3, String(files))
  for (const file of files) assert.equal((await server.fetch('GET', file)).status, 200, file)
  assert.equal((await server.fetch('POST', `/voice/${id}`)).status, 405)
})

test('the page says who answers and whether calls are recorded, as text', async () => {
  const name = '<b>"Rec" & \'Co\'</b>'
  const recording = { is_on: true, notice: 'This call is recorded.' }
  const recorded = await newVoiceChannel(tenant, { name, greeting: 'Hello.', recording })
  const plain = await newVoiceChannel(tenant, { name: '$& $1', greeting: 'Hello.' })
  assert.equal(
    bodyOf((await server.fetch('GET', `/voice/${recorded}`)).text),
    '<body data-agent="&lt;b&gt;&quot;Rec&quot; &amp; &#39;Co&#39;&lt;/b&gt;" data-is-recorded="true">',
  )
  assert.equal(
    bodyOf((await server.fetch('GET', `/voice/${plain}`)).text),
    '<body data-agent="$&amp; $1" data-is-recorded="false">',
  )
})

test('an unknown, a disabled and another kind of channel have a page that says so', async () => {
  const id = await newVoiceChannel(tenant, { greeting: 'Hello.' })
  await server.pool.run(sql`update channels set status = 'disabled' where workspace_id = ${tenant.id} and id = ${id}`)
  const agent_id = await newAgent(tenant, { greeting: 'Hello.' })
  const chat = await tenant.addChannel({ name: 'Chat', kind: 'web_chat', provider: 'web', agent_id })
  for (const unknown of [id, chat.id, '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa', 'nothing']) {
    const { status, headers, text } = await server.fetch('GET', `/voice/${unknown}`)
    assert.equal(status, 404, unknown)
    assert.match(text, /Nobody can be called here at the moment/)
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'self';/)
  }
})

test('a chat without voice has nothing of it', async () => {
  const agent_id = await newAgent(tenant, { greeting: 'Hello.' })
  const chat = await tenant.addChannel({ name: 'Chat', kind: 'web_chat', provider: 'web', agent_id })
  const { text } = await server.fetch('GET', `/chat/${chat.id}`)
  assert.equal(bodyOf(text), '<body>')
  assert.match(text, /<button id="talk"[^>]*hidden/)
})
